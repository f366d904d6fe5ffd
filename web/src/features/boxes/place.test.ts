import { describe, expect, it } from 'vitest';
import { onOriginal, placeMarks } from './place';
import type { Mark } from './parse';

const mark: Mark = { label: 'a', picture: null, left: 100, top: 200, right: 300, bottom: 400, point: false };
const use = { width: 400, height: 200, usedWidth: 0, usedHeight: 0, tokens: 1 };
const enhanced = { width: 400, height: 200, steps: [], blank: false, toOriginal: [1, 0, 0, 0, 1, 0, 0, 0, 1] };

describe('onOriginal', () => {
  it('leaves marks of pictures that were not enhanced', () => {
    expect(onOriginal(mark, use)).toEqual(mark);
    expect(onOriginal(mark, undefined)).toEqual(mark);
  });

  it('turns a box back with its picture', () => {
    // A quarter turn clockwise: (x, y) of the result, 200 wide and 400 high, is (y, 200 - x) of the original.
    const turned = { ...use, enhanced: { ...enhanced, width: 200, height: 400, toOriginal: [0, 1, 0, -1, 0, 200, 0, 0, 1] } };
    expect(onOriginal(mark, turned)).toEqual({ ...mark, left: 200, top: 700, right: 400, bottom: 900 });
  });

  it('follows a perspective and stays on the picture', () => {
    const tilted = { ...use, enhanced: { ...enhanced, toOriginal: [1, 0, 0, 0, 1, 0, 0, 0, 0.5] } };
    expect(onOriginal(mark, tilted)).toEqual({ ...mark, left: 200, top: 400, right: 600, bottom: 800 });
    expect(onOriginal({ ...mark, right: 900 }, tilted).right).toBe(1000);
  });

  it('does not follow a matrix that leads nowhere', () => {
    expect(onOriginal(mark, { ...use, enhanced: { ...enhanced, toOriginal: [0, 0, 0, 0, 0, 0, 0, 0, 0] } })).toEqual(mark);
  });
});

describe('placeMarks', () => {
  it('uses the transform of the picture that each mark is on', () => {
    const moved = { ...use, enhanced: { ...enhanced, toOriginal: [1, 0, 40, 0, 1, 0, 0, 0, 1] } };
    const [first, second] = placeMarks([mark, { ...mark, picture: 1 }], [use, moved], 0);
    expect(first?.left).toBe(100);
    expect(second?.left).toBe(200);
  });
});
