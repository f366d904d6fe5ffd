import type { PictureUse } from '@/lib/db';
import { formatBytes, formatCount } from '@/lib/format';
import type { PictureFacts } from '@/features/status';
import { imageTokens, usedSize, type Size } from './size_rule';

// What the server will make of a picture of this size, as far as it told its rules.
export function estimateUse(size: Size, facts: PictureFacts, maxTokens: number | null): PictureUse | null {
  const { tokenSide, minPixels, maxPixels } = facts;
  if (tokenSide === null || minPixels === null || maxPixels === null) return null;
  const used = usedSize(size, { tokenSide, minPixels, maxPixels, maxTokens: maxTokens ?? facts.defaultTokens });
  return { ...size, usedWidth: used.width, usedHeight: used.height, tokens: imageTokens(used, tokenSide) };
}

// "4032×3024 · 3.4 MB"
export function describeFile(picture: { width: number | null; height: number | null; bytes: number; kind: string }, language: string): string {
  const size = picture.width === null ? picture.kind : `${picture.width}×${picture.height}`;
  return `${size} · ${formatBytes(picture.bytes, language)}`;
}

// Values of pictures.used: "used at 1152×864, 972 image tokens".
export function describeUse(use: PictureUse, language: string): { size: string; tokens: string } {
  return { size: `${use.usedWidth}×${use.usedHeight}`, tokens: formatCount(use.tokens, language) };
}

// The width at which a picture is shown whole in a space of this height: small ones enlarged a little,
// and never with empty bands, so that marks laid over it stand where they belong.
export function fittingWidth(picture: { width: number | null; height: number | null }, height: string, most: string): string | undefined {
  if (picture.width === null || picture.height === null) return undefined;
  const aspect = picture.width / picture.height;
  return `min(${most}, ${height} * ${aspect.toFixed(4)}, ${Math.max(picture.width, 480)}px)`;
}
