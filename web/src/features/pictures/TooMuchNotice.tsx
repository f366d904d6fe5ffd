import { Button } from '@mantine/core';
import { IconAlertCircle } from '@/lib/icons';
import { useTranslation } from 'react-i18next';
import { formatBytes } from '@/lib/format';
import type { TooMuch } from './body_size';
import classes from './pictures.module.css';

// Says that the pictures together are too much to send, and what can be done.
export function TooMuchNotice({ tooMuch, onShrinkAll }: { tooMuch: TooMuch | null; onShrinkAll: (() => void) | null }) {
  const { t, i18n } = useTranslation();
  return (
    <div role="alert" className={classes.refusals}>
      {tooMuch && (
        <div className={classes.refusal}>
          <IconAlertCircle size={18} aria-hidden />
          <span>{t('pictures.tooMuch', { size: formatBytes(tooMuch.bytes, i18n.language), limit: formatBytes(tooMuch.limit, i18n.language) })}</span>
          {onShrinkAll && (
            <Button size="compact-xs" variant="default" onClick={onShrinkAll}>
              {t('pictures.shrinkAll')}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
