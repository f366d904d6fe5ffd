import { useEffect, useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import { panBy, WHOLE, zoomAt, type View } from './zoom';
import classes from './pictures.module.css';

// A window onto its child that zooms (wheel, pinch, double click, + and -) and pans (drag, arrows).
export function ZoomPane({ label, children }: { label: string; children: ReactNode }) {
  const pane = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<View>(WHOLE);
  const pointers = usePointers(pane, setView);
  useWheel(pane, setView);
  const keys = (event: KeyboardEvent) => {
    const next = viewAfterKey(view, event, pane.current);
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    setView(next);
  };
  const toggle = (event: { clientX: number; clientY: number }) => {
    const { atX, atY } = fromCentre(pane.current, event);
    setView((now) => (now.scale > 1 ? WHOLE : zoomAt(now, 3, atX, atY)));
  };
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- zooming is this element's whole purpose
    <div
      ref={pane}
      className={classes.pane}
      role="group"
      aria-label={label}
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keys zoom and pan
      tabIndex={0}
      data-autofocus
      data-zoomed={view.scale > 1 || undefined}
      onKeyDown={keys}
      onDoubleClick={toggle}
      {...pointers}
    >
      <div className={classes.zoomed} style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})` }}>
        {children}
      </div>
    </div>
  );
}

const STEP_PX = 60;

function viewAfterKey(view: View, event: KeyboardEvent, pane: HTMLElement | null): View | null {
  const { clientWidth = 0, clientHeight = 0 } = pane ?? {};
  const pan = (dx: number, dy: number) => (view.scale > 1 ? panBy(view, dx, dy, clientWidth, clientHeight) : null);
  switch (event.key) {
    case '+':
    case '=':
      return zoomAt(view, 1.4, 0, 0);
    case '-':
      return zoomAt(view, 1 / 1.4, 0, 0);
    case '0':
      return WHOLE;
    case 'ArrowLeft':
      return pan(STEP_PX, 0);
    case 'ArrowRight':
      return pan(-STEP_PX, 0);
    case 'ArrowUp':
      return pan(0, STEP_PX);
    case 'ArrowDown':
      return pan(0, -STEP_PX);
    default:
      return null;
  }
}

function fromCentre(pane: HTMLElement | null, event: { clientX: number; clientY: number }) {
  const box = pane?.getBoundingClientRect();
  return box ? { atX: event.clientX - box.left - box.width / 2, atY: event.clientY - box.top - box.height / 2 } : { atX: 0, atY: 0 };
}

// React's wheel listeners are passive, and this one must keep the page from scrolling.
function useWheel(pane: React.RefObject<HTMLDivElement | null>, setView: (change: (view: View) => View) => void): void {
  useEffect(() => {
    const element = pane.current;
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const { atX, atY } = fromCentre(element, event);
      setView((view) => zoomAt(view, Math.exp(-event.deltaY / 400), atX, atY));
    };
    element?.addEventListener('wheel', wheel, { passive: false });
    return () => element?.removeEventListener('wheel', wheel);
  }, [pane, setView]);
}

// One finger or the mouse drags, two fingers pinch.
function usePointers(pane: React.RefObject<HTMLDivElement | null>, setView: (change: (view: View) => View) => void) {
  const down = useRef(new Map<number, { x: number; y: number }>());
  const spread = () => {
    const [a, b] = [...down.current.values()];
    return a && b ? { distance: Math.hypot(a.x - b.x, a.y - b.y), clientX: (a.x + b.x) / 2, clientY: (a.y + b.y) / 2 } : null;
  };
  const move = (event: PointerEvent) => {
    const last = down.current.get(event.pointerId);
    if (!last) return;
    const before = spread();
    down.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const after = spread();
    if (before && after) {
      const { atX, atY } = fromCentre(pane.current, after);
      setView((view) => zoomAt(view, after.distance / Math.max(1, before.distance), atX, atY));
      return;
    }
    const { clientWidth = 0, clientHeight = 0 } = pane.current ?? {};
    setView((view) => panBy(view, event.clientX - last.x, event.clientY - last.y, clientWidth, clientHeight));
  };
  const end = (event: PointerEvent) => down.current.delete(event.pointerId);
  return {
    onPointerDown: (event: PointerEvent) => {
      pane.current?.setPointerCapture(event.pointerId);
      down.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
    },
    onPointerMove: move,
    onPointerUp: end,
    onPointerCancel: end,
  };
}
