import { ActionIcon } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@/lib/icons';
import { useTranslation } from 'react-i18next';
import { attempt } from '@/lib/trouble';
import type { ShownMessage } from '@/features/history';
import { chooseVersion } from '../actions';
import classes from './messages.module.css';

// Pages through the versions of a message.
export function Versions({ shown: { message, versions } }: { shown: ShownMessage }) {
  const { t } = useTranslation();
  const at = versions.indexOf(message.id);
  if (versions.length < 2) return null;
  const go = (step: number) => {
    const id = versions[at + step];
    if (id) void attempt(() => chooseVersion(message, id));
  };
  return (
    <span className={classes.versions} role="group" aria-label={t('message.versions')}>
      <ActionIcon size={28} variant="subtle" color="gray" disabled={at <= 0} aria-label={t('message.olderVersion')} onClick={() => go(-1)}>
        <IconChevronLeft size={16} aria-hidden />
      </ActionIcon>
      <span aria-label={t('message.versionOf', { n: at + 1, count: versions.length })}>
        {at + 1}/{versions.length}
      </span>
      <ActionIcon size={28} variant="subtle" color="gray" disabled={at >= versions.length - 1} aria-label={t('message.newerVersion')} onClick={() => go(1)}>
        <IconChevronRight size={16} aria-hidden />
      </ActionIcon>
    </span>
  );
}
