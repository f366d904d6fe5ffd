import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconCheck, IconChevronLeft, IconChevronRight, IconCopy, IconDownload } from '@/lib/icons';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Enhancement } from '@/lib/db';
import { downloadFile, safeFileName } from '@/lib/download';
import { useCopy } from '@/lib/use_copy';
import { PictureImage, PictureViewer } from '@/features/pictures';
import { EXPORT_TYPES, exportText, plainLines, type ExportForm, type OcrResult } from './exports';
import classes from './ocr.module.css';

// Text that was read, beside the picture it was read from.
export function OcrResultView({ result, children }: { result: OcrResult; children: ReactNode }) {
  const { t } = useTranslation();
  const [at, setAt] = useState(0);
  const [enlarged, setEnlarged] = useState<number | null>(null);
  const picture = result.pictures[Math.min(at, result.pictures.length - 1)];
  return (
    <section className={classes.result} aria-label={t('ocr.result')}>
      <header className={classes.head}>
        <span className={classes.title}>{t('ocr.result')}</span>
        <span className={classes.count}>{t('ocr.lines', { count: plainLines(result.text).filter(Boolean).length })}</span>
        <Copy text={exportText(result, 'txt').trimEnd()} />
        <Download result={result} />
      </header>
      <div className={classes.columns}>
        {picture && (
          <div className={classes.picture}>
            <button type="button" className={classes.open} aria-label={t('pictures.enlarge', { picture: picture.name })} onClick={() => setEnlarged(at)}>
              <PictureImage picture={picture} alt={picture.name} className={classes.image} />
            </button>
            <Enhanced enhanced={result.uses[at]?.enhanced} />
            {result.pictures.length > 1 && <Pager at={at} count={result.pictures.length} onAt={setAt} />}
          </div>
        )}
        {/* Long text scrolls here, so the keyboard must reach it. */}
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <div className={classes.text} tabIndex={0} role="region" aria-label={t('ocr.text')}>
          {children}
        </div>
      </div>
      <PictureViewer pictures={result.pictures} index={enlarged} onIndex={setEnlarged} />
    </section>
  );
}

const STEPS = ['shrink', 'turn', 'page', 'deskew', 'light', 'denoise', 'contrast', 'enlarge', 'binarize'] as const;

// What was done to the picture so that it reads better.
function Enhanced({ enhanced }: { enhanced: Enhancement | undefined }) {
  const { t } = useTranslation();
  if (!enhanced) return null;
  const steps = STEPS.filter((step) => enhanced.steps.includes(step)).map((step) => t(`ocr.steps.${step}`));
  if (enhanced.blank) return <p className={classes.enhanced}>{t('ocr.blank')}</p>;
  return <p className={classes.enhanced}>{steps.length > 0 ? t('ocr.enhanced', { steps: steps.join(t('ocr.comma')) }) : t('ocr.clear')}</p>;
}

function Pager({ at, count, onAt }: { at: number; count: number; onAt: (at: number) => void }) {
  const { t } = useTranslation();
  return (
    <div className={classes.pager}>
      <ActionIcon variant="subtle" color="gray" disabled={at === 0} aria-label={t('pictures.previous')} onClick={() => onAt(at - 1)}>
        <IconChevronLeft size={18} aria-hidden />
      </ActionIcon>
      {at + 1} / {count}
      <ActionIcon variant="subtle" color="gray" disabled={at >= count - 1} aria-label={t('pictures.next')} onClick={() => onAt(at + 1)}>
        <IconChevronRight size={18} aria-hidden />
      </ActionIcon>
    </div>
  );
}

function Copy({ text }: { text: string }) {
  const { t } = useTranslation();
  const { copied, copy } = useCopy(text);
  return (
    <Button size="compact-sm" variant="subtle" leftSection={copied ? <IconCheck size={15} aria-hidden /> : <IconCopy size={15} aria-hidden />} onClick={copy}>
      {copied ? t('common.copied') : t('ocr.copy')}
    </Button>
  );
}

function Download({ result }: { result: OcrResult }) {
  const { t } = useTranslation();
  const save = (form: ExportForm) => {
    const name = (result.pictures[0]?.name ?? 'ocelli').replace(/\.[^.]*$/, '');
    downloadFile(`${safeFileName(name)}.${form}`, EXPORT_TYPES[form], exportText(result, form));
  };
  return (
    <Menu position="bottom-end" shadow="md" radius="md">
      <Menu.Target>
        <Button size="compact-sm" variant="subtle" leftSection={<IconDownload size={15} aria-hidden />}>
          {t('ocr.download')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {(['txt', 'md', 'json'] as const).map((form) => (
          <Menu.Item key={form} onClick={() => save(form)}>
            {t(`ocr.forms.${form}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
