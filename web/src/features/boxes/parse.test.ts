import { describe, expect, it } from 'vitest';
import { parseMarks, toPixels } from './parse';

const CAT = { label: 'cat', left: 100, top: 200, right: 300, bottom: 400, point: false };

describe('parseMarks', () => {
  it('reads JSON with and without a code fence', () => {
    const json = '[{"bbox_2d": [100, 200, 300, 400], "label": "cat"}]';
    expect(parseMarks(json)).toMatchObject([CAT]);
    expect(parseMarks('Here:\n```json\n' + json + '\n```\nDone.')).toMatchObject([CAT]);
  });

  it('reads points, nested lists and objects around them', () => {
    expect(parseMarks('{"point_2d": [5, 6], "label": "eye"}')).toMatchObject([{ label: 'eye', left: 5, top: 6, point: true }]);
    expect(parseMarks('{"objects": [{"bbox_2d": [[100,200],[300,400]], "text_content": "cat"}]}')).toMatchObject([CAT]);
  });

  it('reads marks between tags', () => {
    expect(parseMarks('<ref>cat</ref><box>(100,200),(300,400)</box>')).toMatchObject([CAT]);
    expect(parseMarks('<|object_ref_start|>cat<|object_ref_end|><|box_start|>(100,200),(300,400)<|box_end|>')).toMatchObject([CAT]);
    expect(parseMarks('<box>[[100, 200, 300, 400]]</box>')).toMatchObject([{ ...CAT, label: '' }]);
    expect(parseMarks('<point>7,8</point>')).toMatchObject([{ left: 7, top: 8, point: true }]);
  });

  it('keeps the complete ones of an answer that was cut', () => {
    const cut = '```json\n[{"bbox_2d": [100,200,300,400], "label": "cat"},\n{"bbox_2d": [1,2,3';
    expect(parseMarks(cut)).toMatchObject([CAT]);
    expect(parseMarks('{"objects": [{"bbox_2d": [100,200,300,400], "label": "cat"}, {"bb')).toMatchObject([CAT]);
  });

  it('puts corners in order and drops what is off the scale or no box', () => {
    expect(parseMarks('{"bbox_2d": [300,400,100,200], "label": "cat"}')).toMatchObject([CAT]);
    expect(parseMarks('{"bbox_2d": [0,0,1001,5]} {"bbox_2d": [1,2,3]} {"bbox_2d": ["a",1,2,3]} {"bbox_2d": null}')).toEqual([]);
  });

  it('says which picture a mark belongs to', () => {
    expect(parseMarks('{"bbox_2d": [1,2,3,4], "image": 2}')).toMatchObject([{ picture: 1 }]);
  });

  it('finds nothing in ordinary text, code and numbers', () => {
    for (const text of ['', 'A box of [1, 2, 3, 4].', '```c\nint main() { return 0; }\n```', 'the "bbox" { is "open', '<box>none</box>']) {
      expect(parseMarks(text)).toEqual([]);
    }
  });

  it('is bounded for hostile answers', () => {
    const many = '{"bbox_2d":[1,2,3,4]}'.repeat(5000);
    expect(parseMarks(many)).toHaveLength(300);
    const deep = '{"bbox":'.repeat(20_000) + '}'.repeat(20_000);
    expect(parseMarks(deep)).toEqual([]);
  });
});

describe('toPixels', () => {
  it('scales by the size of the picture', () => {
    expect(toPixels({ ...CAT, picture: null }, 800, 400)).toEqual([80, 80, 240, 160]);
    expect(toPixels({ ...CAT, picture: null, point: true }, 800, 400)).toEqual([80, 80]);
  });
});
