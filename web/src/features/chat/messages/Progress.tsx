import { Button } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount, formatDuration, formatRate } from '@/lib/format';
import { tokensPerSecond, type LiveAnswer, type Phase } from '../answer/live';
import { retryNow } from '../answer/run';
import classes from './messages.module.css';

// What is happening with an answer that is under way, how far it is and how long it has taken.
export function AnswerProgress({ id, live }: { id: string; live: LiveAnswer }) {
  const { t, i18n } = useTranslation();
  const now = useNow();
  const share = shareOf(live);
  const elapsed = formatDuration(Math.max(0, now - live.startedAt), i18n.language);
  return (
    <div className={classes.progress}>
      <div className={classes.progressLine}>
        <span className={classes.pulse} aria-hidden />
        <span className={classes.progressText}>{describe(live, now, t, i18n.language)}</span>
        {live.phase === 'retrying' && (
          <Button size="compact-xs" variant="light" onClick={() => retryNow(id)}>
            {t('answer.retryNow')}
          </Button>
        )}
        <span className={classes.elapsed}>{elapsed}</span>
      </div>
      {share !== null && (
        <div className={classes.bar} role="progressbar" aria-label={t(`answer.phases.${live.phase}`)} aria-valuenow={Math.round(share * 100)} aria-valuemin={0} aria-valuemax={100}>
          <span style={{ width: `${share * 100}%` }} />
        </div>
      )}
      {live.phase !== 'writing' && live.phase !== 'retrying' && <Steps live={live} />}
    </div>
  );
}

// The phases of this answer, those behind it ticked.
function Steps({ live }: { live: LiveAnswer }) {
  const { t } = useTranslation();
  const order: Phase[] = ['uploading', 'queue', 'encode', 'prefill', 'writing'];
  const at = order.indexOf(live.phase === 'waiting' ? 'queue' : live.phase === 'preparing' ? 'uploading' : live.phase);
  return (
    <ol className={classes.steps} aria-hidden>
      {order.map((phase, index) => (
        <li key={phase} data-done={index < at || undefined} data-now={index === at || undefined}>
          {t(`answer.steps.${phase}`)}
        </li>
      ))}
    </ol>
  );
}

function shareOf(live: LiveAnswer): number | null {
  switch (live.phase) {
    case 'uploading':
      return live.upload && live.upload.total > 0 ? live.upload.loaded / live.upload.total : 0;
    case 'encode':
      return live.encode && live.encode.pictures > 0 ? (live.encode.picture - 1 + live.encode.share) / live.encode.pictures : 0;
    case 'prefill':
      return live.prefill && live.prefill.total > 0 ? live.prefill.done / live.prefill.total : 0;
    default:
      return null;
  }
}

// The present phase in words, with its figures.
export function describe(live: LiveAnswer, now: number, t: TFunction, language: string): string {
  const percent = (share: number) => Math.floor(Math.min(1, share) * 100);
  switch (live.phase) {
    case 'uploading':
      return t('answer.uploading', { percent: percent(shareOf(live) ?? 0) });
    case 'queue':
      return live.position ? t('answer.queue', { position: live.position }) : t('answer.queueNext');
    case 'encode':
      return t('answer.encode', { n: live.encode?.picture ?? 1, count: live.encode?.pictures ?? 1, percent: percent(live.encode?.share ?? 0) });
    case 'prefill':
      return t('answer.prefill', { percent: percent(shareOf(live) ?? 0) });
    case 'retrying': {
      const seconds = Math.max(0, Math.ceil(((live.retry?.at ?? now) - now) / 1000));
      return t(live.retry?.error.kind === 'loading' ? 'answer.retryLoading' : 'answer.retryBusy', { seconds });
    }
    case 'writing': {
      const rate = tokensPerSecond(live);
      return rate === null ? t('answer.phases.writing') : t('answer.writing', { rate: formatRate(rate, language), count: formatCount(live.pieces, language) });
    }
    default:
      return t(`answer.phases.${live.phase}`);
  }
}

function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 200);
    return () => clearInterval(timer);
  }, []);
  return now;
}
