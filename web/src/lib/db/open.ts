import { patiently } from '../patiently';
import type { OcelliDatabase } from './database';

let opening: Promise<OcelliDatabase> | undefined;

// The browser's database. It is loaded after the first paint, hence the promise.
export function openDatabase(): Promise<OcelliDatabase> {
  opening ??= patiently(() => import('./database')).then(({ createDatabase }) => createDatabase('ocelli'));
  return opening;
}

// Whether a write failed because the browser gives no more room.
export function isQuotaError(error: unknown): boolean {
  for (let inner: unknown = error; inner instanceof Error; inner = (inner as { inner?: unknown }).inner) {
    if (inner.name === 'QuotaExceededError') return true;
  }
  return false;
}
