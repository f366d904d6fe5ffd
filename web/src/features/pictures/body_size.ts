import type { PictureRecord } from '@/lib/db';

// Pictures travel inside one JSON request: four characters for every three bytes.

// For the words, the settings and what JSON puts around them.
const FRAME_BYTES = 256 * 1024;

export interface TooMuch {
  bytes: number; // of the pictures' files together
  limit: number; // the most that they may have
}

// Whether these pictures are too much for one request of at most `maxBodyBytes`; null: they fit.
export function checkTotal(pictures: readonly PictureRecord[], maxBodyBytes: number): TooMuch | null {
  const bytes = pictures.reduce((sum, picture) => sum + picture.bytes, 0);
  const limit = Math.max(0, Math.floor(((maxBodyBytes - FRAME_BYTES) * 3) / 4));
  return bytes <= limit ? null : { bytes, limit };
}
