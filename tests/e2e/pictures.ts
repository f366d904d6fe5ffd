import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { EXAMPLES } from './fixtures.ts';

// Files that people really send.

export type Upload = { name: string; mimeType: string; buffer: Buffer };

export const pdf: Upload = { name: 'report.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\n') };

// Its name and first bytes are those of a PNG, the rest is not.
export const damaged: Upload = { name: 'damaged.png', mimeType: 'image/png', buffer: Buffer.concat([readFileSync(`${EXAMPLES}open.png`).subarray(0, 8), Buffer.alloc(600, 7)]) };

// A PNG that was cut: a browser shows what there is of it, the server does not read it.
export const cut: Upload = { name: 'cut.png', mimeType: 'image/png', buffer: readFileSync(`${EXAMPLES}open.png`).subarray(0, 600) };

// Begins like a photo of an iPhone; no browser here shows it and the server cannot read it.
export const heic: Upload = { name: 'IMG_0001.HEIC', mimeType: 'image/heic', buffer: Buffer.concat([Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'), Buffer.alloc(400)]) };

// A photo of `width` x `height` pixels of noise, so that it is large; drawn by the browser itself.
export async function photo(page: Page, name: string, width: number, height: number): Promise<Upload> {
  const base64 = await page.evaluate(
    async ([wide, high]) => {
      const canvas = new OffscreenCanvas(wide, high);
      const context = canvas.getContext('2d');
      if (!context) throw new Error('no canvas');
      const image = context.createImageData(wide, high);
      let seed = 1;
      for (let i = 0; i < image.data.length; i += 1) {
        seed = (seed * 1664525 + 1013904223) >>> 0;
        image.data[i] = i % 4 === 3 ? 255 : seed >>> 24;
      }
      context.putImageData(image, 0, 0);
      const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.8 })).arrayBuffer());
      let text = '';
      for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
      return btoa(text);
    },
    [width, height] as const,
  );
  return { name, mimeType: 'image/jpeg', buffer: Buffer.from(base64, 'base64') };
}

// The same photo, marked as taken with the camera on its side (EXIF orientation 6).
export function sideways(upload: Upload): Upload {
  const tiff = Buffer.from([0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]);
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return { ...upload, buffer: Buffer.concat([upload.buffer.subarray(0, 2), head, body, upload.buffer.subarray(2)]) };
}
