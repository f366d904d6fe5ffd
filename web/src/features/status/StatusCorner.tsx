import { Popover, Progress, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatCount, formatRate } from '@/lib/format';
import { useSpeeds } from './speeds';
import { useStatus, type ServerStatus } from './store';
import classes from './status.module.css';

// What the corner says in one word.
type Mood = 'ready' | 'busy' | 'loading' | 'unwell' | 'away' | 'unknown' | 'key';

function moodOf(status: ServerStatus, writing: boolean): Mood {
  if (status.condition !== 'ready') return status.condition;
  if (status.keyAsked) return 'key';
  return writing || (status.load.running ?? 0) > 0 ? 'busy' : 'ready';
}

// The model and how the server is; more on a click.
export function StatusCorner({ writing }: { writing: boolean }) {
  const { t } = useTranslation();
  const status = useStatus();
  const mood = moodOf(status, writing);
  const word = mood === 'loading' && status.progress !== null ? t('status.loadingShare', { share: Math.floor(status.progress * 100) }) : t(`status.${mood}`);
  return (
    <Popover position="bottom-end" width={300} shadow="md" radius="lg" withArrow={false} trapFocus>
      <Popover.Target>
        <UnstyledButton className={classes.corner} data-mood={mood}>
          <VisuallyHidden>{t('status.title')}</VisuallyHidden>
          <span className={classes.dot} aria-hidden />
          {status.facts.model && <span className={classes.model}>{status.facts.model}</span>}
          <span className={classes.word}>{word}</span>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('status.title')}>
        <Details status={status} word={word} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Details({ status, word }: { status: ServerStatus; word: string }) {
  const { t, i18n } = useTranslation();
  const speeds = useSpeeds();
  const count = (value: number | null) => (value === null ? null : formatCount(value, i18n.language));
  const rate = (ms: number | null) => (ms === null ? null : t('status.tokensPerSecond', { rate: formatRate(1000 / ms, i18n.language) }));
  const rows: [string, string | null][] = [
    [t('status.model'), status.facts.model || null],
    [t('status.state'), status.message ? `${word} (${status.message})` : word],
    [t('status.running'), count(status.load.running)],
    [t('status.waiting'), count(status.load.waiting)],
    [t('status.context'), status.facts.contextTokens === null ? null : t('status.tokens', { tokens: count(status.facts.contextTokens) })],
    [t('status.pictureSpeed'), rate(speeds.picture)],
    [t('status.writingSpeed'), rate(speeds.writing)],
  ];
  return (
    <>
      {status.condition === 'loading' && (
        <div className={classes.loading}>
          <Progress value={(status.progress ?? 0) * 100} aria-label={t('status.loading')} />
          {status.stage && <span>{status.stage}</span>}
        </div>
      )}
      <dl className={classes.details}>
        {rows.map(([name, value]) =>
          value === null ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </>
  );
}
