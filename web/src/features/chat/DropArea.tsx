import { Dropzone } from '@mantine/dropzone';
import { IconPhotoDown } from '@/lib/icons';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { addFiles } from './composer/store';
import classes from './chat.module.css';

// Takes files dropped anywhere on the page. Kinds are not filtered here: what is refused gets a
// sentence. Unseen until something is dragged, so the keyboard passes it by. `openRef`
// opens the file chooser.
export function DropArea({ openRef }: { openRef: React.RefObject<(() => void) | null> }) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    openRef.current = () => input.current?.click();
  }, [openRef]);
  const add = (files: File[]) => void addFiles(files);
  return (
    <>
      <Dropzone.FullScreen active activateOnKeyboard={false} onDrop={add} className={classes.fullDrop} inputProps={{ 'aria-label': t('composer.choose'), tabIndex: -1 }}>
        <div className={classes.fullDropInner}>
          <IconPhotoDown size={56} stroke={1.4} aria-hidden />
          <span>{t('composer.dropHere')}</span>
        </div>
      </Dropzone.FullScreen>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept="image/*,.heic,.heif,.avif,.tif,.tiff,.bmp,.webp"
        aria-label={t('composer.choose')}
        onChange={(event) => {
          add([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}
