// Figures as people read them, in the page's language.

export function formatBytes(bytes: number, language: string): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit > 0 && value < 10 ? 1 : 0;
  return `${new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value)} ${units[unit]}`;
}

export function formatCount(count: number, language: string): string {
  return new Intl.NumberFormat(language).format(Math.round(count));
}

// "0.4", "7.3", "42": enough digits to see a change, no more.
export function formatRate(rate: number, language: string): string {
  const digits = rate < 10 ? 1 : 0;
  return new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(rate);
}

// "0.8 s", "12 s", "2 min 5 s". **Units**: milliseconds.
export function formatDuration(ms: number, language: string): string {
  const chinese = language.startsWith('zh');
  const [second, minute] = chinese ? [' 秒', ' 分 '] : [' s', ' min '];
  const seconds = ms / 1000;
  if (seconds < 10) return `${(Math.floor(seconds * 10) / 10).toFixed(1)}${second}`;
  if (seconds < 60) return `${Math.floor(seconds)}${second}`;
  return `${Math.floor(seconds / 60)}${minute}${Math.floor(seconds % 60)}${second}`;
}

// Today's times as "14:05", older ones with the day.
export function formatMoment(time: number, language: string, now = Date.now()): string {
  const moment = new Date(time);
  const today = new Date(now).toDateString() === moment.toDateString();
  const options: Intl.DateTimeFormatOptions = today
    ? { hour: '2-digit', minute: '2-digit' }
    : { month: 'short', day: 'numeric' };
  return new Intl.DateTimeFormat(language, options).format(moment);
}
