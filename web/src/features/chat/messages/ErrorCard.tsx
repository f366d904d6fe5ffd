import { Button, PasswordInput } from '@mantine/core';
import { IconAlertTriangle, IconKey, IconPlugConnectedX } from '@/lib/icons';
import { useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { AnswerError } from '@/lib/db';
import { changeSettings } from '@/features/settings';
import { checkSoon, useStatus } from '@/features/status';
import classes from './messages.module.css';

// Why an answer did not come, and what can be done about it.
export function ErrorCard({ error, partial, onRetry }: { error: AnswerError; partial: boolean; onRetry: () => void }) {
  const { t } = useTranslation();
  const back = useStatus((status) => status.condition === 'ready');
  const lost = error.kind === 'network';
  const Icon = error.kind === 'key' ? IconKey : lost ? IconPlugConnectedX : IconAlertTriangle;
  return (
    <div className={classes.error} role="group" aria-label={t('errors.title')}>
      <Icon size={20} aria-hidden />
      <div className={classes.errorText}>
        <p>{t(partial ? `errors.partial.${lost ? 'network' : 'other'}` : `errors.${error.kind}`)}</p>
        {error.message && <p className={classes.errorDetail}>{t('errors.said', { message: error.message })}</p>}
        {lost && back && <p className={classes.errorDetail}>{t('errors.back')}</p>}
        {error.kind === 'key' ? (
          <KeyForm onDone={onRetry} />
        ) : (
          <Button size="compact-sm" variant="default" mt={8} onClick={onRetry}>
            {t('answer.retry')}
          </Button>
        )}
      </div>
    </div>
  );
}

function KeyForm({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation();
  const [key, setKey] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    changeSettings({ apiKey: key.trim() });
    checkSoon();
    onDone();
  };
  return (
    <form className={classes.keyForm} onSubmit={submit}>
      <PasswordInput size="sm" aria-label={t('settings.apiKey')} placeholder={t('settings.apiKey')} autoComplete="off" value={key} onChange={(event) => setKey(event.currentTarget.value)} visibilityToggleButtonProps={{ 'aria-label': t('settings.showKey') }} />
      <Button type="submit" size="sm" disabled={!key.trim()}>
        {t('errors.useKey')}
      </Button>
    </form>
  );
}
