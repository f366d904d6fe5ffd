// The arithmetic of looking closely: where the picture stands in its window.

export interface View {
  scale: number; // 1: the whole picture fits
  x: number; // of the picture's centre from the window's, pixels
  y: number;
}

export const WHOLE: View = { scale: 1, x: 0, y: 0 };
const MAX_SCALE = 16;

// Zooms by `factor` so that the point (`atX`, `atY`), from the window's centre, stays where it is.
export function zoomAt(view: View, factor: number, atX: number, atY: number): View {
  const scale = Math.min(MAX_SCALE, Math.max(1, view.scale * factor));
  if (scale === 1) return WHOLE;
  const real = scale / view.scale;
  return { scale, x: atX - (atX - view.x) * real, y: atY - (atY - view.y) * real };
}

// Moves the picture, but never so far that it leaves the window.
export function panBy(view: View, dx: number, dy: number, width: number, height: number): View {
  const limit = (side: number) => ((view.scale - 1) * side) / 2;
  const clamp = (value: number, bound: number) => Math.min(bound, Math.max(-bound, value));
  return { scale: view.scale, x: clamp(view.x + dx, limit(width)), y: clamp(view.y + dy, limit(height)) };
}
