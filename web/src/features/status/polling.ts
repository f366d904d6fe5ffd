import { useEffect } from 'react';
import { useSettings } from '@/features/settings';
import { checkServer, useStatus, type Condition } from './store';

const READY_MS = 15_000;
const LOADING_MS = 1500;
const LONGEST_MS = 15_000;

// How long to wait before the next check: rarely while all is well, soon while something is about to
// change, and ever more patiently with a server that is away.
export function pause(condition: Condition, failures: number): number {
  if (condition === 'away') return Math.min(LONGEST_MS, 1000 * 1.6 ** Math.max(0, failures - 1));
  return condition === 'ready' ? READY_MS : LOADING_MS;
}

// Keeps the status true while the page is seen; a hidden tab asks nothing.
export function useServerPolling(): void {
  const apiKey = useSettings((settings) => settings.apiKey);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let ended = false;
    const poll = async () => {
      clearTimeout(timer);
      if (document.hidden) return;
      await checkServer();
      if (ended) return;
      const { condition, failures } = useStatus.getState();
      const wait = pause(condition, failures);
      if (condition === 'away') useStatus.setState({ nextCheckAt: Date.now() + wait });
      clearTimeout(timer);
      timer = setTimeout(() => void poll(), wait);
    };
    const wake = () => void poll();
    void poll();
    document.addEventListener('visibilitychange', wake);
    window.addEventListener('online', wake);
    window.addEventListener(CHECK_NOW, wake);
    return () => {
      ended = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', wake);
      window.removeEventListener('online', wake);
      window.removeEventListener(CHECK_NOW, wake);
    };
  }, [apiKey]);
}

const CHECK_NOW = 'ocelli:check-server';

// Checks at once, because a call failed or the user asked.
export function checkSoon(): void {
  window.dispatchEvent(new Event(CHECK_NOW));
}
