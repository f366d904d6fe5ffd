import { ActionIcon, CloseButton, Modal } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@/lib/icons';
import type { KeyboardEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { PictureRecord } from '@/lib/db';
import { describeFile, fittingWidth } from './describe';
import { PictureImage } from './PictureImage';
import { ZoomPane } from './ZoomPane';
import classes from './pictures.module.css';

export interface PictureViewerProps {
  pictures: readonly PictureRecord[];
  index: number | null; // null: closed
  onIndex: (index: number | null) => void;
  overlay?: (picture: PictureRecord, index: number) => ReactNode; // drawn over the picture
}

// Pictures over the whole window, to be looked at closely.
export function PictureViewer({ pictures, index, onIndex, overlay }: PictureViewerProps) {
  const { t, i18n } = useTranslation();
  const picture = index === null ? undefined : pictures[index];
  const go = (step: number) => {
    if (index !== null && pictures[index + step]) onIndex(index + step);
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'ArrowLeft') go(-1);
    if (event.key === 'ArrowRight') go(1);
  };
  if (!picture || index === null) return null;
  return (
    <Modal.Root opened onClose={() => onIndex(null)} fullScreen padding={0}>
      <Modal.Content className={classes.viewer} aria-label={t('pictures.viewer')}>
        <Modal.Body className={classes.viewerBody}>
          {/* eslint-disable-next-line jsx-a11y/no-static-element-interactions -- arrow keys page through the dialog */}
          <div className={classes.viewerInner} onKeyDown={keys}>
            <header className={classes.viewerHead}>
              <span className={classes.viewerName}>{picture.name}</span>
              <span className={classes.viewerFacts}>{describeFile(picture, i18n.language)}</span>
              <CloseButton variant="transparent" c="white" size="lg" aria-label={t('common.close')} onClick={() => onIndex(null)} />
            </header>
            <ZoomPane key={picture.id} label={t('pictures.zoomLabel')}>
              <span className={classes.frame} style={{ width: fittingWidth(picture, '(100dvh - 132px)', '100vw - 32px') }}>
                <PictureImage picture={picture} alt={picture.name} className={classes.large} />
                {overlay?.(picture, index)}
              </span>
            </ZoomPane>
            {pictures.length > 1 && <Pager index={index} count={pictures.length} go={go} />}
            <p className={classes.viewerHint}>{t('pictures.zoomHint')}</p>
          </div>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function Pager({ index, count, go }: { index: number; count: number; go: (step: number) => void }) {
  const { t } = useTranslation();
  return (
    <div className={classes.pager}>
      <ActionIcon variant="subtle" color="gray.0" size="lg" radius="xl" disabled={index === 0} aria-label={t('pictures.previous')} onClick={() => go(-1)}>
        <IconChevronLeft aria-hidden />
      </ActionIcon>
      <span>
        {index + 1} / {count}
      </span>
      <ActionIcon variant="subtle" color="gray.0" size="lg" radius="xl" disabled={index === count - 1} aria-label={t('pictures.next')} onClick={() => go(1)}>
        <IconChevronRight aria-hidden />
      </ActionIcon>
    </div>
  );
}
