import { createJSONStorage } from 'zustand/middleware';

// Small choices in the browser's localStorage. Where that is full or forbidden they hold until the
// page is closed: a choice must not fail for want of a place to keep it.
export function localStore<T>() {
  return createJSONStorage<T>(() => ({
    getItem: (name) => quietly(() => localStorage.getItem(name)),
    setItem: (name, value) => quietly(() => localStorage.setItem(name, value)),
    removeItem: (name) => quietly(() => localStorage.removeItem(name)),
  }));
}

function quietly<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
