import { Button, Progress } from '@mantine/core';
import { IconKey, IconLoader2, IconPlugConnectedX } from '@/lib/icons';
import { useEffect, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { checkSoon } from './polling';
import { useStatus } from './store';
import classes from './status.module.css';

// A line above the conversation while the server cannot be used, saying what is happening.
export function ServerNotice({ onOpenSettings }: { onOpenSettings: () => void }) {
  const { t } = useTranslation();
  const status = useStatus();
  return <div role="status">{notice()}</div>;

  function notice(): ReactNode {
    if (status.condition === 'away' && status.failures > 0) return <Away />;
    if (status.condition === 'loading') return <Loading share={status.progress} stage={status.stage} />;
    if (status.condition === 'unwell') return <Line icon={<IconLoader2 size={18} aria-hidden />} text={t('status.unwellNotice')} />;
    if (!status.keyAsked) return null;
    return (
      <Line icon={<IconKey size={18} aria-hidden />} text={t('status.keyNotice')}>
        <Button size="compact-sm" variant="default" onClick={onOpenSettings}>
          {t('status.enterKey')}
        </Button>
      </Line>
    );
  }
}

function Away() {
  const { t } = useTranslation();
  const nextCheckAt = useStatus((status) => status.nextCheckAt);
  const seconds = useSecondsUntil(nextCheckAt);
  const text = seconds > 0 ? t('status.awayNotice', { seconds }) : t('status.awayTrying');
  return (
    <Line icon={<IconPlugConnectedX size={18} aria-hidden />} text={t('status.awayTitle')} detail={text}>
      <Button size="compact-sm" variant="default" onClick={checkSoon}>
        {t('status.tryNow')}
      </Button>
    </Line>
  );
}

function Loading({ share, stage }: { share: number | null; stage: string }) {
  const { t } = useTranslation();
  const percent = Math.floor((share ?? 0) * 100);
  return (
    <div className={classes.notice}>
      <IconLoader2 size={18} aria-hidden />
      <div className={classes.noticeText}>
        <span>{t('status.loadingNotice', { percent })}</span>
        <Progress size="sm" value={percent} aria-label={stage || t('status.loading')} mt={6} />
      </div>
    </div>
  );
}

function Line({ icon, text, detail, children }: { icon: ReactNode; text: string; detail?: string; children?: ReactNode }) {
  return (
    <div className={classes.notice}>
      {icon}
      <span className={classes.noticeText}>
        {text}
        {/* A countdown is for the eye: read aloud it would never stop. */}
        {detail && <span aria-hidden> {detail}</span>}
      </span>
      {children}
    </div>
  );
}

function useSecondsUntil(moment: number | null): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [moment]);
  return moment === null ? 0 : Math.max(0, Math.ceil((moment - now) / 1000));
}
