import { SCALE, type Mark } from './parse';
import classes from './boxes.module.css';

const COLOURS = 8;

// The colour of a mark: the same for equal labels.
export function colourOf(marks: readonly Mark[], index: number): number {
  const labels = [...new Set(marks.map((mark) => mark.label))];
  return labels.indexOf(marks[index]?.label ?? '') % COLOURS;
}

export interface BoxesOverlayProps {
  marks: readonly Mark[];
  shown: readonly boolean[]; // which of them are on this picture
  active: number | null;
  onActive: (index: number | null) => void;
}

// Marks drawn over the picture that fills the parent.
export function BoxesOverlay({ marks, shown, active, onActive }: BoxesOverlayProps) {
  const percent = (value: number) => `${(value / SCALE) * 100}%`;
  return (
    <div className={classes.overlay} data-dim={active !== null || undefined} aria-hidden>
      {marks.map((mark, index) =>
        shown[index] ? (
          <div
            key={index}
            className={mark.point ? classes.point : classes.box}
            data-colour={colourOf(marks, index)}
            data-active={active === index || undefined}
            data-low={mark.top < 60 || undefined}
            style={{ left: percent(mark.left), top: percent(mark.top), width: percent(mark.right - mark.left), height: percent(mark.bottom - mark.top) }}
            onPointerEnter={() => onActive(index)}
            onPointerLeave={() => onActive(null)}
          >
            {mark.label && <span className={classes.tag}>{mark.label}</span>}
          </div>
        ) : null,
      )}
    </div>
  );
}
