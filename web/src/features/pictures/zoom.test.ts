import { describe, expect, it } from 'vitest';
import { panBy, WHOLE, zoomAt } from './zoom';

describe('zoomAt', () => {
  it('keeps the point under the pointer in its place', () => {
    const view = zoomAt(WHOLE, 2, 100, 50);
    // The picture point that was at (100, 50) is drawn at 2 * (100, 50) + offset.
    expect([2 * 100 + view.x, 2 * 50 + view.y]).toEqual([100, 50]);
  });

  it('stays between the whole picture and the closest look', () => {
    expect(zoomAt({ scale: 2, x: 5, y: 5 }, 0.1, 0, 0)).toEqual(WHOLE);
    expect(zoomAt(WHOLE, 1000, 0, 0).scale).toBe(16);
  });
});

describe('panBy', () => {
  it('does not let the picture leave its window', () => {
    expect(panBy(WHOLE, 50, 50, 400, 300)).toEqual(WHOLE);
    expect(panBy({ scale: 2, x: 0, y: 0 }, 1000, -1000, 400, 300)).toEqual({ scale: 2, x: 200, y: -150 });
  });
});
