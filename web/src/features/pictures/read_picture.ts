import type { PictureRecord } from '@/lib/db';
import { newId } from '@/lib/ids';
import type { PictureFacts } from '@/features/status';
import { everyBrowserShows, mimeOf, sniff, SNIFF_BYTES } from './kinds';
import { checkBytes, checkSize, type Refusal } from './refusals';
import { shrink } from './shrink';
import type { Size } from './size_rule';

export type ReadPicture = { picture: PictureRecord } | { refusal: Refusal };

// Looks at a file that the user gave and makes a picture of it, or says why not.
export async function readPicture(file: File, facts: PictureFacts): Promise<ReadPicture> {
  const name = file.name || 'picture';
  const sniffed = sniff(new Uint8Array(await file.slice(0, SNIFF_BYTES).arrayBuffer()));
  if ('foreign' in sniffed) return { refusal: { reason: 'kind', name, foreign: sniffed.foreign } };
  const { kind } = sniffed;
  const size = await measure(file);
  if (!size && everyBrowserShows(kind)) return { refusal: { reason: 'unreadable', name } };
  const canShrink = size ? file : null;
  const refusal = checkBytes(name, file.size, facts, canShrink) ?? (size && checkSize(name, size, facts, canShrink));
  if (refusal) return { refusal };
  // The bytes are sent as they are; only the type is set right, so that they can be shown.
  const blob = file.slice(0, file.size, mimeOf(kind));
  return { picture: { id: newId(), name, kind, bytes: file.size, width: size?.width ?? null, height: size?.height ?? null, blob, addedAt: Date.now() } };
}

// Shrinks a picture that is already taken, or a file that was too large. The result is a new picture.
export async function shrinkPicture(source: Pick<PictureRecord, 'name' | 'kind' | 'bytes' | 'blob'> & { size: Size }): Promise<PictureRecord> {
  const { blob, kind, size } = await shrink(source.blob, source.kind);
  return {
    id: newId(),
    name: source.name,
    kind,
    bytes: blob.size,
    width: size.width,
    height: size.height,
    blob,
    shrunkFrom: { ...source.size, bytes: source.bytes },
    addedAt: Date.now(),
  };
}

// The same for a file that was refused for its size.
export async function shrinkFile(file: File): Promise<PictureRecord | null> {
  const sniffed = sniff(new Uint8Array(await file.slice(0, SNIFF_BYTES).arrayBuffer()));
  const size = await measure(file);
  if (!size || 'foreign' in sniffed) return null;
  return shrinkPicture({ name: file.name, kind: sniffed.kind, bytes: file.size, blob: file, size });
}

// The picture's size as the browser shows it, so turned as its EXIF says; null where it cannot show it.
// Browsers also show what there is of a file that was cut; about those the server has the last word.
function measure(blob: Blob): Promise<Size | null> {
  const url = URL.createObjectURL(blob);
  const image = new Image();
  return new Promise<Size | null>((resolve) => {
    image.onload = () => resolve(image.naturalWidth > 0 ? { width: image.naturalWidth, height: image.naturalHeight } : null);
    image.onerror = () => resolve(null);
    image.src = url;
  }).finally(() => URL.revokeObjectURL(url));
}
