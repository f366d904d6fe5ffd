import type { Size } from './size_rule';

// The longer side after shrinking: more than any picture budget uses, and a photo becomes a
// few hundred kilobytes.
export const SHRUNK_SIDE_PX = 2048;
const WORTH_BYTES = 2_000_000;
const JPEG_QUALITY = 0.92;

export function shrunkSize(size: Size, side = SHRUNK_SIDE_PX): Size {
  const scale = Math.min(1, side / Math.max(size.width, size.height));
  return { width: Math.max(1, Math.round(size.width * scale)), height: Math.max(1, Math.round(size.height * scale)) };
}

// Whether shrinking this picture would spare the user a noticeable upload.
export function worthShrinking(bytes: number, size: Size | null): boolean {
  return size !== null && bytes > WORTH_BYTES && Math.max(size.width, size.height) > SHRUNK_SIDE_PX;
}

// Returns the picture, upright, with its longer side at most SHRUNK_SIDE_PX: as PNG where it was one
// (screens, transparency), otherwise as JPEG. Rejects when the browser cannot read it.
export async function shrink(blob: Blob, kind: string): Promise<{ blob: Blob; kind: 'PNG' | 'JPEG'; size: Size }> {
  const bitmap = await createImageBitmap(blob, { imageOrientation: 'from-image' });
  const size = shrunkSize(bitmap);
  const canvas = document.createElement('canvas');
  canvas.width = size.width;
  canvas.height = size.height;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('no canvas');
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, 0, 0, size.width, size.height);
  bitmap.close();
  const shrunkKind = kind === 'PNG' || kind === 'GIF' ? 'PNG' : 'JPEG';
  const type = shrunkKind === 'PNG' ? 'image/png' : 'image/jpeg';
  const shrunk = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, JPEG_QUALITY));
  if (!shrunk) throw new Error('the canvas gave no picture');
  return { blob: shrunk, kind: shrunkKind, size };
}
