import type { Page } from '@playwright/test';

// Ways in which a browser's storage fails.

type Breakable = typeof globalThis & { storageFault?: string | undefined };

// Every write fails with this error from now on: QuotaExceededError is a full disk, UnknownError
// what a browser says when it does not know better.
export async function breakStorage(page: Page, name: 'QuotaExceededError' | 'UnknownError'): Promise<void> {
  await page.evaluate((fault) => {
    (globalThis as Breakable).storageFault = fault;
    for (const method of ['add', 'put'] as const) {
      const real = IDBObjectStore.prototype[method];
      IDBObjectStore.prototype[method] = function (value: unknown, key?: IDBValidKey) {
        const now = (globalThis as Breakable).storageFault;
        if (now) throw new DOMException('cannot write', now);
        return key === undefined ? real.call(this, value) : real.call(this, value, key);
      };
    }
  }, name);
}

export async function mendStorage(page: Page): Promise<void> {
  await page.evaluate(() => {
    (globalThis as Breakable).storageFault = undefined;
  });
}

// A private window that gives none. To be called before the page is opened.
export async function noStorage(page: Page): Promise<void> {
  await page.addInitScript(() => Object.defineProperty(globalThis, 'indexedDB', { value: undefined }));
}
