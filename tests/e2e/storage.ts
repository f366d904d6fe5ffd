import type { Page } from '@playwright/test';

// Ways in which a browser's storage fails.

// No more room, as the browser itself says it. `free` gives the room back.
export async function fillStorage(page: Page): Promise<{ free: () => Promise<void> }> {
  const browser = await page.context().newCDPSession(page);
  const { origin } = new URL(page.url());
  await browser.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 0 });
  return { free: async () => void (await browser.send('Storage.overrideQuotaForOrigin', { origin })) };
}

type Breakable = typeof globalThis & { storageBroken?: boolean };

// Every write fails, for a reason that nobody knows.
export async function breakStorage(page: Page): Promise<void> {
  await page.evaluate(() => {
    const breakable = globalThis as Breakable;
    const real = IDBDatabase.prototype.transaction;
    breakable.storageBroken = true;
    IDBDatabase.prototype.transaction = function (names, mode, options) {
      if (breakable.storageBroken && mode === 'readwrite') throw new DOMException('the disk is gone', 'UnknownError');
      return real.call(this, names, mode, options);
    };
  });
}

export async function mendStorage(page: Page): Promise<void> {
  await page.evaluate(() => {
    (globalThis as Breakable).storageBroken = false;
  });
}

// A private window that gives none. To be called before the page is opened.
export async function noStorage(page: Page): Promise<void> {
  await page.addInitScript(() => Object.defineProperty(globalThis, 'indexedDB', { value: undefined }));
}
