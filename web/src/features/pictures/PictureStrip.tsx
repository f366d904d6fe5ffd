import { ActionIcon, Tooltip } from '@mantine/core';
import { IconArrowBackUp, IconArrowLeft, IconArrowRight, IconResize, IconX } from '@/lib/icons';
import { useEffect, useRef, useState, type DragEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { PictureRecord } from '@/lib/db';
import type { PictureFacts } from '@/features/status';
import { describeFile, describeUse, estimateUse } from './describe';
import { PictureImage } from './PictureImage';
import { worthShrinking } from './shrink';
import classes from './pictures.module.css';

export interface PictureStripProps {
  pictures: readonly PictureRecord[];
  facts: PictureFacts;
  maxTokens: number | null;
  onMove: (from: number, to: number) => void;
  onRemove: (index: number) => void;
  onOpen: (index: number) => void;
  onShrink: (index: number) => void;
  onUnshrink: (index: number) => void;
  canUnshrink: (picture: PictureRecord) => boolean;
}

// The pictures of a message that is being written, in sending order.
export function PictureStrip(props: PictureStripProps) {
  const { t } = useTranslation();
  const [dragged, setDragged] = useState<number | null>(null);
  const { list, onMove } = useMoveWithFocus(props);
  return (
    <ol className={classes.strip} aria-label={t('pictures.strip')} ref={list}>
      {props.pictures.map((picture, index) => (
        <StripItem key={picture.id} {...props} onMove={onMove} picture={picture} index={index} dragged={dragged} setDragged={setDragged} />
      ))}
    </ol>
  );
}

// The focus goes with a picture that is moved: at the end of the row its button is switched off, and
// the focus would be lost.
function useMoveWithFocus({ pictures, onMove }: PictureStripProps) {
  const list = useRef<HTMLOListElement>(null);
  const moved = useRef<{ id: string; step: string } | null>(null);
  useEffect(() => {
    if (!moved.current) return;
    const { id, step } = moved.current;
    const index = pictures.findIndex((picture) => picture.id === id);
    const buttons = [...(list.current?.children[index]?.querySelectorAll<HTMLButtonElement>('button[data-step]') ?? [])];
    moved.current = null;
    // At the end of the row only the way back is left.
    (buttons.find((button) => !button.disabled && button.dataset['step'] === step) ?? buttons.find((button) => !button.disabled))?.focus();
  }, [pictures]);
  const move = (from: number, to: number) => {
    const id = pictures[from]?.id;
    if (id) moved.current = { id, step: to < from ? 'left' : 'right' };
    onMove(from, to);
  };
  return { list, onMove: move };
}

interface StripItemProps extends PictureStripProps {
  picture: PictureRecord;
  index: number;
  dragged: number | null;
  setDragged: (index: number | null) => void;
}

function StripItem({ picture, index, dragged, setDragged, ...strip }: StripItemProps) {
  const { t } = useTranslation();
  const [over, setOver] = useState(false);
  const label = t('pictures.nth', { n: index + 1, name: picture.name });
  const drop = (event: DragEvent) => {
    event.preventDefault();
    event.stopPropagation();
    setOver(false);
    if (dragged !== null && dragged !== index) strip.onMove(dragged, index);
    setDragged(null);
  };
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- dragging is an extra: the buttons below do the same
    <li
      className={classes.item}
      data-over={over || undefined}
      data-dragged={dragged === index || undefined}
      draggable
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData('text/plain', picture.name);
        setDragged(index);
      }}
      onDragEnd={() => setDragged(null)}
      onDragOver={(event) => {
        if (dragged === null) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <button type="button" className={classes.open} aria-label={t('pictures.enlarge', { picture: label })} onClick={() => strip.onOpen(index)}>
        <PictureImage picture={picture} alt="" className={classes.thumb} />
        <span className={classes.number} aria-hidden>
          {index + 1}
        </span>
      </button>
      <StripTools index={index} label={label} {...strip} />
      <Caption picture={picture} index={index} {...strip} />
    </li>
  );
}

function StripTools({ index, label, pictures, onMove, onRemove }: { index: number; label: string } & Pick<PictureStripProps, 'pictures' | 'onMove' | 'onRemove'>) {
  const { t } = useTranslation();
  const several = pictures.length > 1;
  return (
    <>
      <ActionIcon className={classes.remove} size={26} radius="xl" variant="filled" color="dark" aria-label={t('pictures.remove', { picture: label })} onClick={() => onRemove(index)}>
        <IconX size={15} aria-hidden />
      </ActionIcon>
      {several && (
        <span className={classes.moves}>
          <ActionIcon size={24} variant="filled" color="dark" radius="xl" data-step="left" disabled={index === 0} aria-label={t('pictures.moveLeft', { picture: label })} onClick={() => onMove(index, index - 1)}>
            <IconArrowLeft size={14} aria-hidden />
          </ActionIcon>
          <ActionIcon size={24} variant="filled" color="dark" radius="xl" data-step="right" disabled={index === pictures.length - 1} aria-label={t('pictures.moveRight', { picture: label })} onClick={() => onMove(index, index + 1)}>
            <IconArrowRight size={14} aria-hidden />
          </ActionIcon>
        </span>
      )}
    </>
  );
}

function Caption({ picture, index, facts, maxTokens, onShrink, onUnshrink, canUnshrink }: { picture: PictureRecord; index: number } & PictureStripProps) {
  const { t, i18n } = useTranslation();
  const size = picture.width === null || picture.height === null ? null : { width: picture.width, height: picture.height };
  const use = size && estimateUse(size, facts, maxTokens);
  return (
    <span className={classes.caption}>
      <span className={classes.name} title={picture.name}>
        {picture.name}
      </span>
      <span>{describeFile(picture, i18n.language)}</span>
      {!size && <span>{t('pictures.noPreview', { kind: picture.kind })}</span>}
      {use && <span>{t('pictures.willUse', describeUse(use, i18n.language))}</span>}
      {!picture.shrunkFrom && worthShrinking(picture.bytes, size) && (
        <Tooltip label={t('pictures.shrinkHint')} multiline maw={260}>
          <button type="button" className={classes.link} onClick={() => onShrink(index)}>
            <IconResize size={13} aria-hidden /> {t('pictures.shrink')}
          </button>
        </Tooltip>
      )}
      {picture.shrunkFrom && canUnshrink(picture) && (
        <button type="button" className={classes.link} onClick={() => onUnshrink(index)}>
          <IconArrowBackUp size={13} aria-hidden /> {t('pictures.unshrink')}
        </button>
      )}
    </span>
  );
}
