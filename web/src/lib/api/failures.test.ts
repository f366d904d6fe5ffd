import { describe, expect, it } from 'vitest';
import { isStop, toAnswerError } from './failures';

// As the openai client throws them: status, headers and the inner error object.
const thrown = (status: number | undefined, error?: object, headers: Record<string, string> = {}) => ({ status, error, headers: new Headers(headers), message: `${status} words` });

describe('toAnswerError', () => {
  it('sorts statuses into what the user can do', () => {
    expect(toAnswerError(thrown(401, { message: 'an API key is needed' }))).toMatchObject({ kind: 'key', message: 'an API key is needed', status: 401 });
    expect(toAnswerError(thrown(503, { code: 'overloaded' }, { 'retry-after': '7' }))).toMatchObject({ kind: 'busy', retryAfterS: 7 });
    expect(toAnswerError(thrown(503, { code: 'unavailable' }))).toMatchObject({ kind: 'loading', retryAfterS: undefined });
    expect(toAnswerError(thrown(413)).kind).toBe('too_large');
    expect(toAnswerError(thrown(400, { message: 'messages[0]: bad' }))).toMatchObject({ kind: 'refused', message: 'messages[0]: bad' });
    expect(toAnswerError(thrown(500)).kind).toBe('server');
    expect(toAnswerError(thrown(502)).kind).toBe('network');
  });

  it('takes an error inside a stream for the server\'s and anything else for the network\'s', () => {
    expect(toAnswerError(thrown(undefined, { message: 'the engine failed' }))).toEqual({ kind: 'server', message: 'the engine failed' });
    expect(toAnswerError(new TypeError('network error')).kind).toBe('network');
    expect(toAnswerError(undefined).kind).toBe('network');
  });

  it('bounds Retry-After and reads dates', () => {
    expect(toAnswerError(thrown(503, {}, { 'retry-after': '99999' })).retryAfterS).toBe(600);
    expect(toAnswerError(thrown(503, {}, { 'retry-after': new Date(Date.now() + 5000).toUTCString() })).retryAfterS).toBeLessThanOrEqual(5);
    expect(toAnswerError(thrown(503, {}, { 'retry-after': 'soon' })).retryAfterS).toBeUndefined();
  });
});

describe('isStop', () => {
  it('knows the user\'s own Stop', () => {
    expect(isStop(new DOMException('stopped', 'AbortError'))).toBe(true);
    expect(isStop(new TypeError('network error'))).toBe(false);
    expect(isStop(null)).toBe(false);
  });
});
