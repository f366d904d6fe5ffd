import { Button, FileButton } from '@mantine/core';
import { IconDownload, IconUpload } from '@/lib/icons';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isQuotaError } from '@/lib/db';
import { attempt } from '@/lib/trouble';
import { downloadFile } from '@/lib/download';
import { exportHistory, importHistory, TransferError } from './transfer';
import classes from './history.module.css';

// Export of the whole history to a file, and back.
export function Transfer({ disabled }: { disabled: boolean }) {
  const { t } = useTranslation();
  const [message, setMessage] = useState('');
  const save = async () => {
    const day = new Date().toISOString().slice(0, 10);
    downloadFile(`ocelli-${day}.json`, 'application/json', await exportHistory());
  };
  const load = async (file: File | null) => {
    if (!file) return;
    try {
      const { added, skipped } = await importHistory(file);
      setMessage(t('history.imported', { added, skipped }));
    } catch (error) {
      setMessage(reason(error));
    }
  };
  const reason = (error: unknown) => {
    if (isQuotaError(error)) return t('history.importFull');
    return error instanceof TransferError ? t('history.notOurs', { place: error.message }) : t('history.importFailed');
  };
  return (
    <div className={classes.transfer}>
      <p role="status" className={classes.report}>
        {message}
      </p>
      <Button size="compact-sm" variant="subtle" color="gray" leftSection={<IconDownload size={15} aria-hidden />} disabled={disabled} onClick={() => void attempt(save)}>
        {t('history.export')}
      </Button>
      <FileButton accept="application/json,.json" onChange={(file) => void load(file)} inputProps={{ 'aria-label': t('history.import') }}>
        {(button) => (
          <Button {...button} size="compact-sm" variant="subtle" color="gray" leftSection={<IconUpload size={15} aria-hidden />}>
            {t('history.import')}
          </Button>
        )}
      </FileButton>
    </div>
  );
}
