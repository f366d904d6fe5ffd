// Pictures for tests: the examples, and drawn ones.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { root } from './server.mjs';

const crcTable = Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; ++bit) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});

function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = crcTable[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

/** Returns a PNG of width x height whose pixel at (x, y) has the colour [r, g, b] that `colour` returns. */
export function png(width, height, colour) {
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0, at = 0; y < height; ++y) {
    rows[at++] = 0;
    for (let x = 0; x < width; ++x) for (const value of colour(x, y)) rows[at++] = value;
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Returns a PNG of one colour on white, different for every `seed`. */
export function spotted(seed, width = 96, height = 64) {
  const colour = [(seed * 37) % 200, (seed * 91) % 200, (seed * 53) % 200];
  const left = 8 + ((seed * 13) % (width - 40));
  return png(width, height, (x, y) =>
    x >= left && x < left + 24 && y >= 16 && y < 48 ? colour : [255, 255, 255]);
}

export function example(name) {
  return readFileSync(join(root, 'examples', name));
}

export function dataUrl(bytes, type = 'image/png') {
  return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
}

/** Returns the content part of a picture. */
export function imagePart(bytes, options = {}) {
  return { type: 'image_url', image_url: { url: dataUrl(bytes), ...options } };
}

/** Returns a user message: `parts` are strings and pictures (bytes), in order. */
export function user(...parts) {
  return {
    role: 'user',
    content: parts.map((part) =>
      typeof part === 'string' ? { type: 'text', text: part } : Buffer.isBuffer(part) ? imagePart(part) : part),
  };
}
