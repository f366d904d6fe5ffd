// Reads Prometheus text: the sum of each family's samples, labels and all.
export function parseMetrics(text: string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const line of text.split('\n')) {
    const sample = /^([a-zA-Z_:][\w:]*)(?:\{[^}]*\})?\s+([-+\d.eE]+|[+-]?Inf|NaN)/.exec(line);
    if (!sample?.[1] || !sample[2]) continue;
    const value = Number(sample[2]);
    if (Number.isFinite(value)) sums.set(sample[1], (sums.get(sample[1]) ?? 0) + value);
  }
  return sums;
}

export interface Load {
  waiting: number | null;
  running: number | null;
}

export function loadOf(metrics: Map<string, number>): Load {
  return {
    waiting: metrics.get('ocelli_waiting_requests') ?? null,
    running: metrics.get('ocelli_running_sequences') ?? null,
  };
}
