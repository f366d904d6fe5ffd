import { create } from 'zustand';
import { isQuotaError } from './db/open';

// What the user must be told about this browser's storage, or about an action that did not happen.
export type Trouble =
  | 'full' // an answer is on the page only: there is no more room
  | 'notKept' // an answer is on the page only: the storage does not work
  | 'actionFull' // what was asked for did not happen: there is no more room
  | 'action' // what was asked for did not happen: the storage does not work
  | 'unread' // what is kept cannot be read
  | 'example' // an example picture did not come
  | 'copy'; // nothing was put on the clipboard

export const useTrouble = create<{ trouble: Trouble | null }>()(() => ({ trouble: null }));

export function noteTrouble(trouble: Trouble): void {
  useTrouble.setState({ trouble });
}

export function clearTrouble(): void {
  useTrouble.setState({ trouble: null });
}

// An answer could not be kept.
export function noteNotKept(error: unknown): void {
  noteTrouble(isQuotaError(error) ? 'full' : 'notKept');
}

// Does what the user asked for; when it fails, the page says so. True when it was done.
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    noteTrouble(isQuotaError(error) ? 'actionFull' : 'action');
    return false;
  }
}
