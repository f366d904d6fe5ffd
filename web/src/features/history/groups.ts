// Where a conversation stands in the list.
export type Group = 'today' | 'yesterday' | 'week' | 'month' | 'older';
export const GROUPS: readonly Group[] = ['today', 'yesterday', 'week', 'month', 'older'];

const DAY_MS = 86_400_000;

export function groupOf(time: number, now: number): Group {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (time >= midnight) return 'today';
  if (time >= midnight - DAY_MS) return 'yesterday';
  if (time >= midnight - 7 * DAY_MS) return 'week';
  return time >= midnight - 30 * DAY_MS ? 'month' : 'older';
}
