// Tells a picture's kind from its first bytes, as the server does: names and MIME types lie.

export type PictureKind = 'JPEG' | 'PNG' | 'WebP' | 'GIF' | 'BMP' | 'TIFF' | 'HEIC' | 'AVIF';

// What else a file may be, for the sentence that refuses it.
export type ForeignKind = 'empty' | 'pdf' | 'svg' | 'web' | 'text' | 'archive' | 'video' | 'audio' | 'otherPicture' | 'unknown';

export type Sniffed = { kind: PictureKind } | { foreign: ForeignKind };

export const SNIFF_BYTES = 512;

const MIME: Record<PictureKind, string> = {
  JPEG: 'image/jpeg',
  PNG: 'image/png',
  WebP: 'image/webp',
  GIF: 'image/gif',
  BMP: 'image/bmp',
  TIFF: 'image/tiff',
  HEIC: 'image/heic',
  AVIF: 'image/avif',
};

export function mimeOf(kind: string): string {
  return (MIME as Record<string, string>)[kind] ?? 'application/octet-stream';
}

// Kinds that every browser shows; of the others some do and some do not.
export function everyBrowserShows(kind: PictureKind): boolean {
  return ['JPEG', 'PNG', 'WebP', 'GIF', 'BMP'].includes(kind);
}

export function sniff(bytes: Uint8Array): Sniffed {
  const start = latin1(bytes.subarray(0, SNIFF_BYTES));
  if (start === '') return { foreign: 'empty' };
  const kind = pictureKind(start);
  return kind ? { kind } : { foreign: foreignKind(start) };
}

function pictureKind(start: string): PictureKind | undefined {
  if (start.startsWith('\xff\xd8\xff')) return 'JPEG';
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'PNG';
  if (/^GIF8[79]a/.test(start)) return 'GIF';
  if (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP') return 'WebP';
  if (/^(II[*+]\0|MM\0[*+])/.test(start)) return 'TIFF';
  if (start.slice(4, 8) === 'ftyp') return isoPicture(start);
  return start.startsWith('BM') && !looksLikeText(start) ? 'BMP' : undefined;
}

// The brands of an ISO media file: its major one, then those it is compatible with.
function isoPicture(start: string): PictureKind | undefined {
  const length = [0, 1, 2, 3].reduce((sum, i) => sum * 256 + start.charCodeAt(i), 0);
  const brands = [start.slice(8, 12)];
  for (let at = 16; at + 4 <= Math.min(start.length, length, 256); at += 4) brands.push(start.slice(at, at + 4));
  if (brands.some((brand) => brand === 'avif' || brand === 'avis')) return 'AVIF';
  return brands.some((brand) => /^(hei[cxms]|hev[cx]|mif1|msf1)$/.test(brand)) ? 'HEIC' : undefined;
}

const FOREIGN: readonly [RegExp, ForeignKind][] = [
  [/^%PDF-/, 'pdf'],
  [/^(PK\x03\x04|\x1f\x8b|7z\xbc\xaf|Rar!)/, 'archive'],
  [/^(\xff\x0a|\0\0\0\x0cJXL |\0\0\0\x0cjP {2}|8BPS|\0\0[\x01\x02]\0|qoif|DDS )/, 'otherPicture'],
  [/^(\x1a\x45\xdf\xa3|....ftyp|RIFF....AVI )/s, 'video'],
  [/^(ID3|OggS|fLaC|RIFF....WAVE)/s, 'audio'],
];

function foreignKind(start: string): ForeignKind {
  for (const [pattern, kind] of FOREIGN) if (pattern.test(start)) return kind;
  if (!looksLikeText(start)) return 'unknown';
  if (/<svg/i.test(start)) return 'svg';
  return /<(!doctype html|html)/i.test(start) ? 'web' : 'text';
}

function looksLikeText(start: string): boolean {
  return !/[\x00-\x08\x0b\x0e-\x1f\x7f]/.test(start);
}

function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}
