import { describe, expect, it } from 'vitest';
import type { PictureFacts } from '@/features/status';
import type { PictureRecord } from '@/lib/db';
import { checkTotal } from './body_size';
import { estimateUse } from './describe';
import { sniff } from './kinds';
import { checkBytes, checkCount, checkSize } from './refusals';
import { shrunkSize, worthShrinking } from './shrink';
import { imageTokens, usedSize, type SizeRule } from './size_rule';

const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const FACTS: PictureFacts = { tokenSide: 32, minPixels: 65_536, maxPixels: 16_777_216, defaultTokens: 1024, maxBytes: 1000, maxSourcePixels: 1_000_000, maxCount: 2 };

describe('sniff', () => {
  it.each([
    ['\xff\xd8\xff\xe0', 'JPEG'],
    ['\x89PNG\r\n\x1a\n', 'PNG'],
    ['GIF89a', 'GIF'],
    ['RIFF\0\0\0\0WEBPVP8 ', 'WebP'],
    ['II*\0', 'TIFF'],
    ['MM\0*', 'TIFF'],
    ['\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'HEIC'],
    ['\0\0\0\x1cftypmif1\0\0\0\0avifmif1', 'AVIF'],
    ['BM\x36\0\0\0', 'BMP'],
  ])('knows %j', (start, kind) => {
    expect(sniff(bytes(start))).toEqual({ kind });
  });

  it.each([
    ['', 'empty'],
    ['%PDF-1.7', 'pdf'],
    ['<?xml version="1.0"?><svg>', 'svg'],
    ['<!DOCTYPE html>', 'web'],
    ['BMW is a car', 'text'],
    ['PK\x03\x04', 'archive'],
    ['\0\0\0\x18ftypmp42\0\0\0\0isom', 'video'],
    ['RIFF\0\0\0\0WAVE', 'audio'],
    ['\0\0\0\x0cJXL ', 'otherPicture'],
    ['\x01\x02\x03', 'unknown'],
  ])('tells what %j is instead', (start, foreign) => {
    expect(sniff(bytes(start))).toEqual({ foreign });
  });
});

describe('usedSize', () => {
  const rule: SizeRule = { tokenSide: 32, minPixels: 65_536, maxPixels: 16_777_216, maxTokens: null };
  // Values of the reference (transformers' smart_resize).
  it.each([
    [400, 400, 144],
    [336, 336, 100],
    [432, 432, 196],
    [1920, 1080, 2040],
    [305, 30, 78],
    [332, 27, 87],
    [500, 19, 84],
    [6000, 4000, 16_224],
    [690, 15_420, 10_604],
    [12_000, 12_000, 16_384],
  ])('%d x %d costs %d tokens', (width, height, tokens) => {
    expect(imageTokens(usedSize({ width, height }, rule), 32)).toBe(tokens);
  });

  it('never exceeds the tokens asked for, even for strips', () => {
    for (const size of [{ width: 4000, height: 3000 }, { width: 20_000, height: 101 }, { width: 101, height: 20_000 }]) {
      const used = usedSize(size, { ...rule, maxTokens: 64 });
      expect(imageTokens(used, 32)).toBeLessThanOrEqual(64);
      expect(used.width % 32 || used.height % 32).toBe(0);
    }
  });

  it('says nothing where the server does not tell its rules', () => {
    expect(estimateUse({ width: 10, height: 10 }, { ...FACTS, tokenSide: null }, null)).toBeNull();
    expect(estimateUse({ width: 4000, height: 3000 }, FACTS, null)?.tokens).toBeLessThanOrEqual(1024);
  });
});

describe('checks before sending', () => {
  it('refuses by count, bytes, pixels and shape, naming the limit', () => {
    expect(checkCount('a', 1, FACTS)).toBeNull();
    expect(checkCount('a', 2, FACTS)).toMatchObject({ reason: 'count', limit: 2 });
    expect(checkBytes('a', 1000, FACTS, null)).toBeNull();
    expect(checkBytes('a', 1001, FACTS, null)).toMatchObject({ reason: 'bytes', limit: 1000 });
    expect(checkSize('a', { width: 1000, height: 1000 }, FACTS, null)).toBeNull();
    expect(checkSize('a', { width: 1001, height: 1000 }, FACTS, null)).toMatchObject({ reason: 'pixels' });
    expect(checkSize('a', { width: 2001, height: 10 }, FACTS, null)).toMatchObject({ reason: 'aspect' });
  });
});

describe('shrinking', () => {
  it('keeps the shape and is offered only where it helps', () => {
    expect(shrunkSize({ width: 4032, height: 3024 })).toEqual({ width: 2048, height: 1536 });
    expect(shrunkSize({ width: 10, height: 20 })).toEqual({ width: 10, height: 20 });
    expect(shrunkSize({ width: 100_000, height: 10 })).toEqual({ width: 2048, height: 1 });
    expect(worthShrinking(3_000_000, { width: 4032, height: 3024 })).toBe(true);
    expect(worthShrinking(3_000_000, { width: 1000, height: 1000 })).toBe(false);
    expect(worthShrinking(3_000_000, null)).toBe(false);
  });
});

describe('checkTotal', () => {
  const of = (...sizes: number[]) => sizes.map((bytes) => ({ bytes }) as PictureRecord);

  it('lets pictures together have three quarters of what a request may have', () => {
    const limit = ((64 * 2 ** 20 - 2 ** 18) * 3) / 4;
    expect(checkTotal(of(limit - 5, 5), 64 * 2 ** 20)).toBeNull();
    expect(checkTotal(of(limit, 1), 64 * 2 ** 20)).toEqual({ bytes: limit + 1, limit });
    expect(checkTotal([], 1000)).toBeNull();
  });
});
