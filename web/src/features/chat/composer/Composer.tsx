import { ActionIcon, FileButton, Loader, Switch, Textarea, Tooltip, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconArrowUp, IconCamera, IconPhotoPlus, IconPlayerStopFilled } from '@/lib/icons';
import { useEffect, useState, type KeyboardEvent, type RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { OCR_IMAGE_TOKENS } from '@/features/ocr';
import { checkTotal, PictureStrip, PictureViewer, RefusalList, TooMuchNotice } from '@/features/pictures';
import { useSettings } from '@/features/settings';
import { useStatus } from '@/features/status';
import { PictureSizeMenu } from './PictureSizeMenu';
import { addFiles, addShrunk, canShrink, dismiss, movePicture, removePicture, setOcr, setText, shrinkAll, shrinkAt, unshrinkAt, useComposer } from './store';
import classes from './composer.module.css';

export interface ComposerProps {
  input: RefObject<HTMLTextAreaElement | null>;
  writing: boolean; // an answer of this conversation is under way
  onSend: (text: string) => void;
  onStop: () => void;
}

// Where a question is written: pictures, words, the OCR switch.
export function Composer({ input, writing, onSend, onStop }: ComposerProps) {
  const { t } = useTranslation();
  const { text, pictures, refusals, ocr, reading } = useComposer();
  const empty = text.trim() === '' && !(ocr && pictures.length > 0);
  const maxBodyBytes = useStatus((status) => status.facts.maxBodyBytes);
  const tooMuch = checkTotal(pictures, maxBodyBytes);
  const canSend = !writing && !empty && !tooMuch; // pictures that are still being read are waited for
  const keys = (event: KeyboardEvent) => {
    // Enter also ends the choice of a Chinese word; then it does not send.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (canSend) onSend(text);
  };
  usePaste();
  return (
    <div className={classes.composer}>
      <RefusalList refusals={refusals} onDismiss={dismiss} onShrink={(index, file) => void addShrunk(index, file)} />
      <TooMuchNotice tooMuch={tooMuch} onShrinkAll={pictures.some(canShrink) ? () => void shrinkAll() : null} />
      {!writing && pictures.length > 0 && empty && !tooMuch && <Suggestions onSend={onSend} />}
      <div className={classes.box}>
        <Pictures />
        <Textarea
          ref={input}
          variant="unstyled"
          autosize
          minRows={1}
          maxRows={8}
          className={classes.field}
          classNames={{ input: classes.input }}
          aria-label={t('composer.question')}
          placeholder={t(placeholderOf(ocr, pictures.length > 0))}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={keys}
        />
        <div className={classes.tools}>
          <AddPictures />
          <Switch size="sm" className={classes.ocr} checked={ocr} onChange={(event) => setOcr(event.currentTarget.checked)} label={t('ocr.switch')} />
          <span className={classes.gap} />
          {reading > 0 && <Loader size={16} aria-label={t('composer.reading')} />}
          {writing ? (
            <ActionIcon size={40} radius="xl" variant="filled" color="dark" className={classes.send} aria-label={t('composer.stop')} onClick={onStop}>
              <IconPlayerStopFilled size={17} aria-hidden />
            </ActionIcon>
          ) : (
            <ActionIcon size={40} radius="xl" className={classes.send} aria-label={t('composer.send')} disabled={!canSend} onClick={() => onSend(text)}>
              <IconArrowUp size={21} aria-hidden />
            </ActionIcon>
          )}
        </div>
      </div>
    </div>
  );
}

function placeholderOf(ocr: boolean, withPictures: boolean): string {
  if (ocr) return withPictures ? 'composer.ocrPlaceholder' : 'composer.ocrNeedsPicture';
  return withPictures ? 'composer.picturePlaceholder' : 'composer.placeholder';
}

function Pictures() {
  const { pictures, originals, ocr } = useComposer();
  const facts = useStatus((status) => status.facts.pictures);
  const chosen = useSettings((settings) => settings.pictureTokens);
  const [enlarged, setEnlarged] = useState<number | null>(null);
  const maxTokens = chosen ?? (ocr ? OCR_IMAGE_TOKENS : null);
  if (pictures.length === 0) return null;
  return (
    <>
      <PictureStrip
        pictures={pictures}
        facts={facts}
        maxTokens={maxTokens}
        onMove={movePicture}
        onRemove={removePicture}
        onOpen={setEnlarged}
        onShrink={(index) => void shrinkAt(index)}
        onUnshrink={(index) => void unshrinkAt(index)}
        canUnshrink={(picture) => originals.has(picture.id)}
      />
      <div className={classes.sizeRow}>
        <PictureSizeMenu pictures={pictures} maxTokens={maxTokens} />
      </div>
      <PictureViewer pictures={pictures} index={enlarged} onIndex={setEnlarged} />
    </>
  );
}

// Not "image/*": some systems then hide HEIC. What the file is, its bytes say.
const ACCEPT = 'image/*,.heic,.heif,.avif,.tif,.tiff,.bmp,.webp';

function AddPictures() {
  const { t } = useTranslation();
  const touch = useMediaQuery('(pointer: coarse)');
  const add = (files: File[]) => void addFiles(files);
  return (
    <>
      <FileButton multiple accept={ACCEPT} onChange={add} inputProps={{ 'aria-label': t('composer.choose') }}>
        {(button) => (
          <Tooltip label={t('composer.choose')}>
            <ActionIcon {...button} size={36} radius="xl" variant="subtle" color="gray" aria-label={t('composer.choose')}>
              <IconPhotoPlus size={21} aria-hidden />
            </ActionIcon>
          </Tooltip>
        )}
      </FileButton>
      {touch && (
        <FileButton accept="image/*" capture="environment" onChange={(file) => file && add([file])} inputProps={{ 'aria-label': t('composer.photograph') }}>
          {(button) => (
            <ActionIcon {...button} size={36} radius="xl" variant="subtle" color="gray" aria-label={t('composer.photograph')}>
              <IconCamera size={21} aria-hidden />
            </ActionIcon>
          )}
        </FileButton>
      )}
    </>
  );
}

// Questions that send at once, for pictures without words.
function Suggestions({ onSend }: { onSend: (text: string) => void }) {
  const { t } = useTranslation();
  return (
    <div className={classes.suggestions} role="group" aria-label={t('composer.suggestions')}>
      {(['describe', 'read', 'find'] as const).map((key) => (
        <UnstyledButton key={key} className={classes.suggestion} onClick={() => onSend(t(`composer.suggest.${key}.question`))}>
          {t(`composer.suggest.${key}.label`)}
        </UnstyledButton>
      ))}
    </div>
  );
}

// Pictures pasted anywhere on the page; pasted words go where the cursor is.
function usePaste(): void {
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      void addFiles(files);
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  }, []);
}
