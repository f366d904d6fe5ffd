import type { AnswerError } from '../db/records';

// What the openai client throws, as far as this page reads it.
interface ThrownByClient {
  status?: number;
  message?: string;
  name?: string;
  headers?: Headers;
  error?: unknown;
}

// Whether `error` is the user's own Stop.
export function isStop(error: unknown): boolean {
  const name = (error as { name?: string } | null)?.name;
  return name === 'AbortError' || name === 'APIUserAbortError' || (error as { constructor?: { name?: string } })?.constructor?.name === 'APIUserAbortError';
}

// Sorts what went wrong into what the user can do about it.
export function toAnswerError(thrown: unknown): AnswerError {
  const error = (thrown ?? {}) as ThrownByClient;
  const message = serverMessage(error);
  const status = error.status;
  if (status === undefined) {
    return isServerEvent(error) ? { kind: 'server', message } : { kind: 'network', message: '' };
  }
  return { kind: kindOfStatus(status, codeOf(error)), message, status, retryAfterS: retryAfter(error.headers) };
}

function kindOfStatus(status: number, code: unknown): AnswerError['kind'] {
  if (status === 401) return 'key';
  if (status === 503) return code === 'overloaded' ? 'busy' : 'loading';
  if (status === 429) return 'busy';
  if (status === 413) return 'too_large';
  // A proxy that cannot reach the server.
  if (status === 502 || status === 504) return 'network';
  return status >= 500 ? 'server' : 'refused';
}

// An `error` event inside a stream that began well: the client wraps its body, without a status.
function isServerEvent(error: ThrownByClient): boolean {
  return typeof error.error === 'object' && error.error !== null;
}

function codeOf(error: ThrownByClient): unknown {
  return (error.error as { code?: unknown } | undefined)?.code;
}

function serverMessage(error: ThrownByClient): string {
  const body = error.error as { message?: unknown; error?: { message?: unknown } } | undefined;
  const told = body?.message ?? body?.error?.message;
  if (typeof told === 'string') return told;
  return (error.message ?? '').replace(/^\d{3} /, '');
}

// Retry-After in seconds or as a date. **Units**: seconds, at most ten minutes.
function retryAfter(headers: Headers | undefined): number | undefined {
  const value = headers?.get?.('retry-after');
  if (!value) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.min(600, Math.max(1, Math.ceil(seconds))) : undefined;
}
