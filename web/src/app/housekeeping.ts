import { runningAnswers, saveEverything } from '@/features/chat';
import { markInterrupted, sweepPictures } from '@/features/history';

const ROUND_MS = 15_000;

// What the page does on its own: keeps answers when it is closed, and tidies up after itself and
// other tabs. A database that fails here will say so where it is used.
export function startHousekeeping(): void {
  window.addEventListener('pagehide', saveEverything);
  const round = () => void markInterrupted(runningAnswers()).catch(() => undefined);
  round();
  setInterval(round, ROUND_MS);
  setTimeout(() => void sweepPictures().catch(() => undefined), ROUND_MS);
}
