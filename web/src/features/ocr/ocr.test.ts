import { describe, expect, it } from 'vitest';
import { exportText, plainLines, type OcrResult } from './exports';
import { OCR_PROMPT, ocrQuestion } from './prompt';

const RESULT: OcrResult = {
  text: '\n第一行  \n\nTotal $5\n',
  model: 'm',
  createdAt: 0,
  complete: true,
  pictures: [{ id: 'a', name: 'a.png', kind: 'PNG', bytes: 9, width: 200, height: 100, blob: new Blob(), addedAt: 0 }],
  uses: [],
};

describe('exports', () => {
  it('gives lines as text, the answer as Markdown and both as JSON', () => {
    expect(exportText(RESULT, 'txt')).toBe('第一行\n\nTotal $5\n');
    expect(exportText(RESULT, 'md')).toBe('第一行  \n\nTotal $5\n');
    const json = JSON.parse(exportText(RESULT, 'json'));
    expect(json).toMatchObject({ model: 'm', complete: true, created: '1970-01-01T00:00:00.000Z', lines: ['第一行', '', 'Total $5'], pictures: [{ name: 'a.png', width: 200 }] });
    expect(json.boxes).toBeUndefined();
  });

  it('gives boxes in pixels where the answer has them', () => {
    const json = JSON.parse(exportText({ ...RESULT, text: '[{"bbox_2d":[0,0,500,500],"text":"Hi"}]' }, 'json'));
    expect(json.boxes).toEqual([{ label: 'Hi', pixels: [0, 0, 100, 50] }]);
  });

  it('takes lines out of a code fence', () => {
    expect(plainLines('```text\na\n\nb\n```')).toEqual(['a', '', 'b']);
    expect(plainLines('')).toEqual([]);
  });
});

describe('ocrQuestion', () => {
  it('asks the prompt, then what the user adds', () => {
    expect(ocrQuestion('  ')).toBe(OCR_PROMPT);
    expect(ocrQuestion('只要金额')).toBe(`${OCR_PROMPT}\n只要金额`);
  });
});
