import type { PictureUse } from '@/lib/db';
import { SCALE, type Mark } from './parse';

// Brings marks from the picture that the model saw to the one that the user gave. Enhancement turns,
// straightens and cuts out; then a box becomes the smallest upright one around its corners.

type Place = readonly [x: number, y: number];

// `uses` are those of the message's pictures, in order; a mark that names no picture is on `shown`.
export function placeMarks(marks: readonly Mark[], uses: readonly PictureUse[], shown: number): Mark[] {
  return marks.map((mark) => onOriginal(mark, uses[mark.picture ?? shown]));
}

export function onOriginal(mark: Mark, use: PictureUse | undefined): Mark {
  if (!use?.enhanced || use.width <= 0 || use.height <= 0) return mark;
  const { left, top, right, bottom } = mark;
  const corners = [[left, top], [right, top], [left, bottom], [right, bottom]] as const;
  const places = corners.map((corner) => placeOf(corner, use));
  const xs = places.map(([x]) => x);
  const ys = places.map(([, y]) => y);
  if (![...xs, ...ys].every(Number.isFinite)) return mark;
  return { ...mark, left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}

// Both on the scale of 0 to 1000.
function placeOf([x, y]: Place, { width, height, enhanced }: PictureUse): Place {
  if (!enhanced) return [x, y];
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0] = enhanced.toOriginal;
  const px = (x / SCALE) * enhanced.width;
  const py = (y / SCALE) * enhanced.height;
  const w = g * px + h * py + i;
  const within = (value: number) => Math.min(SCALE, Math.max(0, value));
  return [within((SCALE * (a * px + b * py + c)) / w / width), within((SCALE * (d * px + e * py + f)) / w / height)];
}
