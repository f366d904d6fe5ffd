import { useTranslation } from 'react-i18next';
import type { PictureRecord, PictureUse } from '@/lib/db';
import { describeFile, describeUse } from './describe';
import { PictureImage } from './PictureImage';
import classes from './pictures.module.css';

export interface MessagePicturesProps {
  pictures: readonly (PictureRecord | null)[];
  uses: readonly PictureUse[]; // as the server told; may be shorter
  onOpen: (index: number) => void;
}

// The pictures of a message that was sent, with the size at which each was used.
export function MessagePictures({ pictures, uses, onOpen }: MessagePicturesProps) {
  const { t, i18n } = useTranslation();
  return (
    <ul className={classes.sent} data-single={pictures.length === 1 || undefined} aria-label={t('pictures.sent')}>
      {pictures.map((picture, index) => {
        const use = uses[index];
        if (!picture) return <li key={index} className={classes.lost}>{t('pictures.lost')}</li>;
        const label = t('pictures.nth', { n: index + 1, name: picture.name });
        return (
          <li key={picture.id}>
            <button type="button" className={classes.sentOpen} aria-label={t('pictures.enlarge', { picture: label })} onClick={() => onOpen(index)}>
              <PictureImage picture={picture} alt={label} className={classes.sentImage} />
            </button>
            <span className={classes.sentFacts}>
              {describeFile(picture, i18n.language)}
              {use && <span> · {t('pictures.used', describeUse(use, i18n.language))}</span>}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
