import { IconCheck, IconCopy } from '../icons';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useCopy } from '../use_copy';
import classes from './markdown.module.css';

// A block of code with its language and a button that copies it.
export function CodeBlock({ language, text, children }: { language: string; text: string; children: ReactNode }) {
  const { t } = useTranslation();
  const { copied, copy } = useCopy(text);
  return (
    <div className={classes.code}>
      <div className={classes.codeHead}>
        <span>{language}</span>
        <button type="button" className={classes.codeCopy} onClick={copy}>
          {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
          {copied ? t('common.copied') : t('common.copyCode')}
        </button>
      </div>
      {/* Wide code scrolls, so the keyboard must reach it. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} aria-label={t('common.code')}>
        <code>{children}</code>
      </pre>
    </div>
  );
}
