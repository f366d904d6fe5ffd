import type { PictureFacts } from '@/features/status';
import type { ForeignKind } from './kinds';

// Why a file is not taken. The page says it in a sentence (pictures.refusals.*).
export type Refusal =
  | { reason: 'kind'; name: string; foreign: ForeignKind }
  | { reason: 'unreadable'; name: string }
  | { reason: 'bytes'; name: string; bytes: number; limit: number; file: File | null } // file: can be shrunk
  | { reason: 'pixels'; name: string; width: number; height: number; limit: number; file: File | null }
  | { reason: 'aspect'; name: string; width: number; height: number }
  | { reason: 'count'; name: string; limit: number }
  | { reason: 'storage' | 'notKept' | 'notShrunk'; name: string };

const MAX_ASPECT = 200;

export function checkCount(name: string, already: number, facts: PictureFacts): Refusal | null {
  return already < facts.maxCount ? null : { reason: 'count', name, limit: facts.maxCount };
}

export function checkBytes(name: string, bytes: number, facts: PictureFacts, file: File | null): Refusal | null {
  return bytes <= facts.maxBytes ? null : { reason: 'bytes', name, bytes, limit: facts.maxBytes, file };
}

export function checkSize(name: string, size: { width: number; height: number }, facts: PictureFacts, file: File | null): Refusal | null {
  const { width, height } = size;
  if (Math.max(width, height) > MAX_ASPECT * Math.min(width, height)) return { reason: 'aspect', name, width, height };
  if (width * height <= facts.maxSourcePixels) return null;
  return { reason: 'pixels', name, width, height, limit: facts.maxSourcePixels, file };
}
