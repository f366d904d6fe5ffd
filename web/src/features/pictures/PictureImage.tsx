import { IconPhoto } from '@/lib/icons';
import type { PictureRecord } from '@/lib/db';
import { useBlobUrl } from './blob_urls';
import classes from './pictures.module.css';

// A picture, or its kind in letters where the browser cannot show it (HEIC, TIFF).
export function PictureImage({ picture, alt, className }: { picture: PictureRecord; alt: string; className?: string }) {
  const shown = picture.width !== null;
  const url = useBlobUrl(shown ? picture.blob : undefined);
  if (shown) return url ? <img src={url} alt={alt} className={className} decoding="async" draggable={false} /> : <span className={className} />;
  return (
    <span className={`${classes.unseen} ${className ?? ''}`} role="img" aria-label={alt}>
      <IconPhoto size={22} aria-hidden />
      {picture.kind}
    </span>
  );
}
