import { ActionIcon, SegmentedControl } from '@mantine/core';
import { IconZoomIn } from '@/lib/icons';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PictureRecord, PictureUse } from '@/lib/db';
import { fittingWidth, PictureImage, PictureViewer } from '@/features/pictures';
import { BoxesOverlay, colourOf } from './BoxesOverlay';
import { toPixels, type Mark } from './parse';
import { placeMarks } from './place';
import classes from './boxes.module.css';

// The boxes and points of an answer, drawn on the picture, with their labels in a list beside it.
export function BoxesView({ marks: told, pictures, uses }: { marks: readonly Mark[]; pictures: readonly PictureRecord[]; uses: readonly PictureUse[] }) {
  const { t } = useTranslation();
  const [active, setActive] = useState<number | null>(null);
  const [chosen, setChosen] = useState(() => told[0]?.picture ?? 0);
  const [enlarged, setEnlarged] = useState<number | null>(null);
  const at = Math.min(chosen, pictures.length - 1);
  const picture = pictures[at];
  if (!picture || picture.width === null || picture.height === null) return null;
  const marks = placeMarks(told, uses, at);
  const shown = marks.map((mark) => mark.picture === null || mark.picture === at);
  const overlay = <BoxesOverlay marks={marks} shown={shown} active={active} onActive={setActive} />;
  return (
    <figure className={classes.view}>
      <figcaption className={classes.caption}>
        <span>{t('boxes.title', { count: shown.filter(Boolean).length })}</span>
        {pictures.length > 1 && (
          <SegmentedControl size="xs" aria-label={t('boxes.whichPicture')} value={String(at)} onChange={(value) => setChosen(Number(value))} data={pictures.map((_, index) => ({ value: String(index), label: String(index + 1) }))} />
        )}
      </figcaption>
      <div className={classes.columns}>
        <div className={classes.picture}>
          <span className={classes.frame} style={{ width: fittingWidth(picture, '52vh', '100%') }}>
            <PictureImage picture={picture} alt={t('boxes.pictureAlt', { name: picture.name, count: shown.filter(Boolean).length })} className={classes.image} />
            {overlay}
          </span>
          <ActionIcon className={classes.zoom} variant="default" radius="xl" size={32} aria-label={t('pictures.enlarge', { picture: picture.name })} onClick={() => setEnlarged(at)}>
            <IconZoomIn size={16} aria-hidden />
          </ActionIcon>
        </div>
        <MarkList marks={marks} shown={shown} active={active} onActive={setActive} width={picture.width} height={picture.height} />
      </div>
      <PictureViewer pictures={pictures} index={enlarged} onIndex={setEnlarged} overlay={(_, index) => (index === at ? overlay : null)} />
    </figure>
  );
}

interface MarkListProps {
  marks: readonly Mark[];
  shown: readonly boolean[];
  active: number | null;
  onActive: (index: number | null) => void;
  width: number;
  height: number;
}

function MarkList({ marks, shown, active, onActive, width, height }: MarkListProps) {
  const { t } = useTranslation();
  return (
    <ul className={classes.list} aria-label={t('boxes.list')}>
      {marks.map((mark, index) =>
        shown[index] ? (
          <li key={index}>
            <button
              type="button"
              className={classes.entry}
              data-colour={colourOf(marks, index)}
              data-active={active === index || undefined}
              aria-pressed={active === index}
              onMouseEnter={() => onActive(index)}
              onMouseLeave={() => onActive(null)}
              onFocus={() => onActive(index)}
              onBlur={() => onActive(null)}
              onClick={() => onActive(index)}
            >
              <span className={classes.swatch} aria-hidden />
              <span className={classes.label}>{mark.label || t(mark.point ? 'boxes.point' : 'boxes.box', { n: index + 1 })}</span>
              <span className={classes.numbers}>{toPixels(mark, width, height).join(', ')}</span>
            </button>
          </li>
        ) : null,
      )}
    </ul>
  );
}
