import { Button, CloseButton } from '@mantine/core';
import { IconAlertCircle } from '@/lib/icons';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { formatBytes, formatCount } from '@/lib/format';
import type { Refusal } from './refusals';
import classes from './pictures.module.css';

export interface RefusalListProps {
  refusals: readonly Refusal[];
  onDismiss: (index: number) => void;
  onShrink: (index: number, file: File) => void;
}

// Says of each file that was not taken why, and offers what can be done.
export function RefusalList({ refusals, onDismiss, onShrink }: RefusalListProps) {
  const { t, i18n } = useTranslation();
  return (
    <div role="alert" className={classes.refusals}>
      {refusals.map((refusal, index) => (
        <div key={`${index} ${refusal.name}`} className={classes.refusal}>
          <IconAlertCircle size={18} aria-hidden />
          <span>{sentence(refusal, t, i18n.language)}</span>
          {'file' in refusal && refusal.file && (
            <Button size="compact-xs" variant="default" onClick={() => refusal.file && onShrink(index, refusal.file)}>
              {t('pictures.shrinkAndAdd')}
            </Button>
          )}
          <CloseButton size="sm" aria-label={t('common.dismiss')} onClick={() => onDismiss(index)} />
        </div>
      ))}
    </div>
  );
}

function sentence(refusal: Refusal, t: TFunction, language: string): string {
  const { name } = refusal;
  switch (refusal.reason) {
    case 'kind':
      return t(`pictures.refusals.kind.${refusal.foreign}`, { name });
    case 'bytes':
      return t('pictures.refusals.bytes', { name, size: formatBytes(refusal.bytes, language), limit: formatBytes(refusal.limit, language) });
    case 'pixels':
      return t('pictures.refusals.pixels', { name, size: `${refusal.width}×${refusal.height}`, limit: formatCount(refusal.limit / 1e6, language) });
    case 'aspect':
      return t('pictures.refusals.aspect', { name, size: `${refusal.width}×${refusal.height}` });
    case 'count':
      return t('pictures.refusals.count', { name, limit: refusal.limit });
    default:
      return t(`pictures.refusals.${refusal.reason}`, { name });
  }
}
