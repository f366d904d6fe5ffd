import type { PictureRecord, PictureUse } from '@/lib/db';
import { parseMarks, placeMarks, toPixels } from '@/features/boxes';

export type ExportForm = 'txt' | 'md' | 'json';

export interface OcrResult {
  text: string;
  model: string;
  createdAt: number;
  complete: boolean;
  pictures: readonly PictureRecord[];
  uses: readonly PictureUse[]; // of the pictures, as far as the server told
}

export const EXPORT_TYPES: Record<ExportForm, string> = {
  txt: 'text/plain;charset=utf-8',
  md: 'text/markdown;charset=utf-8',
  json: 'application/json',
};

export function exportText(result: OcrResult, form: ExportForm): string {
  if (form === 'txt') return `${plainLines(result.text).join('\n')}\n`;
  if (form === 'md') return `${result.text.trim()}\n`;
  return `${JSON.stringify(asJson(result), null, 2)}\n`;
}

// The lines that were read, without what a model puts around them.
export function plainLines(text: string): string[] {
  const inner = /^\s*```\w*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
  const lines = inner.split('\n').map((line) => line.trimEnd());
  while (lines.length > 0 && lines[0] === '') lines.shift();
  while (lines.length > 0 && lines.at(-1) === '') lines.pop();
  return lines;
}

function asJson(result: OcrResult) {
  const size = result.pictures[0];
  const marks = placeMarks(parseMarks(result.text), result.uses, 0);
  return {
    model: result.model,
    created: new Date(result.createdAt).toISOString(),
    complete: result.complete,
    pictures: result.pictures.map(({ name, kind, width, height, bytes }) => ({ name, kind, width, height, bytes })),
    text: result.text,
    lines: plainLines(result.text),
    ...(marks.length > 0 && size?.width && size.height ? { boxes: marks.map((mark) => ({ label: mark.label, pixels: toPixels(mark, size.width ?? 0, size.height ?? 0) })) } : {}),
  };
}
