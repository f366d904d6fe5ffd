// Finds boxes and points in an answer. Qwen3-VL gives them on a scale of 0 to 1000 over the picture,
// as JSON (bbox_2d, point_2d; with or without a code fence) or between <box> marks.

export const SCALE = 1000;
const MAX_MARKS = 300;

export interface Mark {
  label: string;
  picture: number | null; // which picture of the message, from 0; null: not said
  // A point has no size. On the scale above, within it, left <= right and top <= bottom.
  left: number;
  top: number;
  right: number;
  bottom: number;
  point: boolean;
}

export function parseMarks(text: string): Mark[] {
  const marks = [...jsonMarks(text), ...taggedMarks(text)];
  return marks.slice(0, MAX_MARKS);
}

function jsonMarks(text: string): Mark[] {
  if (!/["'](bbox|point|box)/.test(text)) return [];
  return balancedObjects(text).flatMap((piece) => {
    try {
      return marksIn(JSON.parse(piece), 0);
    } catch {
      return []; // braces that are not JSON
    }
  });
}

// The outermost {...} of a text that are complete. When the answer was cut, the last one opened never
// closes; what stands inside it is looked at instead.
function balancedObjects(text: string): string[] {
  const found: string[] = [];
  const open: number[] = [];
  const done: [number, number][] = [];
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i];
    if (inString) {
      if (character === '\\') i += 1;
      else if (character === '"' || character === '\n') inString = false;
    } else if (character === '"' && open.length > 0) inString = true;
    else if (character === '{') open.push(i);
    else if (character === '}') {
      const start = open.pop();
      if (start !== undefined) done.push([start, i + 1]);
    }
  }
  let covered = 0;
  for (const [start, end] of done.sort((a, b) => a[0] - b[0])) {
    if (start >= covered) {
      found.push(text.slice(start, end));
      covered = end;
    }
  }
  return found;
}

const MAX_DEPTH = 8;

function marksIn(value: unknown, depth: number): Mark[] {
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => marksIn(item, depth + 1));
  const fields = value as Record<string, unknown>;
  const coordinates = fields['bbox_2d'] ?? fields['bbox'] ?? fields['box'] ?? fields['point_2d'] ?? fields['point'];
  const mark = markOf(numbersOf(coordinates), labelOf(fields), pictureOf(fields));
  if (mark) return [mark];
  return Object.values(fields).flatMap((item) => marksIn(item, depth + 1));
}

function labelOf(fields: Record<string, unknown>): string {
  for (const key of ['label', 'text_content', 'text', 'name', 'class', 'description']) {
    const value = fields[key];
    if (typeof value === 'string' && value.trim() !== '') return value.trim().slice(0, 200);
  }
  return '';
}

// "image": 2 means the second picture.
function pictureOf(fields: Record<string, unknown>): number | null {
  for (const key of ['image', 'picture', 'image_index', 'image_id']) {
    const value = fields[key];
    if (Number.isInteger(value) && (value as number) >= 1) return (value as number) - 1;
  }
  return null;
}

function numbersOf(value: unknown): number[] {
  if (!Array.isArray(value)) return [];
  const flat = value.flat();
  return flat.every((item) => typeof item === 'number' && Number.isFinite(item)) ? (flat as number[]) : [];
}

// <ref>cat</ref><box>(12,34),(56,78)</box>, <|box_start|>...<|box_end|>, <point>12,34</point>
const TAGGED = /(?:<\|?(?:ref|object_ref_start)\|?>([^<]*)<[/|][^>]*>\s*)?<\|?(?:box|point|box_start)\|?>([\s\d.,()[\]]{3,80})<[/|][^>]*>/g;

function taggedMarks(text: string): Mark[] {
  const marks: Mark[] = [];
  for (const [, label = '', inner = ''] of text.matchAll(TAGGED)) {
    const numbers = (inner.match(/\d+(?:\.\d+)?/g) ?? []).map(Number);
    const mark = markOf(numbers, label.trim(), null);
    if (mark) marks.push(mark);
  }
  return marks;
}

function markOf(numbers: number[], label: string, picture: number | null): Mark | null {
  if (numbers.length !== 2 && numbers.length !== 4) return null;
  if (numbers.some((number) => number < 0 || number > SCALE)) return null;
  const [x1 = 0, y1 = 0, x2 = x1, y2 = y1] = numbers;
  return { label, picture, left: Math.min(x1, x2), top: Math.min(y1, y2), right: Math.max(x1, x2), bottom: Math.max(y1, y2), point: numbers.length === 2 };
}

// The mark in pixels of a picture of this size, as other programs want it.
export function toPixels(mark: Mark, width: number, height: number): number[] {
  const x = (value: number) => Math.round((value * width) / SCALE);
  const y = (value: number) => Math.round((value * height) / SCALE);
  return mark.point ? [x(mark.left), y(mark.top)] : [x(mark.left), y(mark.top), x(mark.right), y(mark.bottom)];
}
