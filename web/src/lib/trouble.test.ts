import { beforeEach, describe, expect, it } from 'vitest';
import { attempt, clearTrouble, noteNotKept, useTrouble } from './trouble';

describe('attempt', () => {
  beforeEach(clearTrouble);

  it('says nothing of what was done', async () => {
    expect(await attempt(async () => 1)).toBe(true);
    expect(useTrouble.getState().trouble).toBeNull();
  });

  it('says whether there was no room or no storage', async () => {
    expect(await attempt(() => Promise.reject(new DOMException('x', 'QuotaExceededError')))).toBe(false);
    expect(useTrouble.getState().trouble).toBe('actionFull');
    await attempt(() => Promise.reject(new Error('closed')));
    expect(useTrouble.getState().trouble).toBe('action');
  });

  it('finds the full disk inside what a library threw', () => {
    noteNotKept(Object.assign(new Error('aborted'), { inner: new DOMException('x', 'QuotaExceededError') }));
    expect(useTrouble.getState().trouble).toBe('full');
    noteNotKept('anything');
    expect(useTrouble.getState().trouble).toBe('notKept');
  });
});
