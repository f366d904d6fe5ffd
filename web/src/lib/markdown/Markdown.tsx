import { lazy, memo, Suspense, useMemo } from 'react';
import { patiently } from '../patiently';
import { splitBlocks } from './blocks';
import { hasMath, normaliseMath } from './math';
import classes from './markdown.module.css';

// Both are loaded when an answer needs them; until then the text stands as it is.
const TextBlock = lazy(() => patiently(() => import('./TextBlock')));
const MathBlock = lazy(() => patiently(() => import('./MathBlock')));

const Block = memo(function Block({ text }: { text: string }) {
  const Renderer = hasMath(text) ? MathBlock : TextBlock;
  return (
    <Suspense fallback={<p className={classes.plain}>{text}</p>}>
      <Renderer text={text} />
    </Suspense>
  );
});

// Shows an answer. HTML in it shows as text; nothing in it is loaded or run.
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => splitBlocks(normaliseMath(text)), [text]);
  return (
    <div className={classes.markdown}>
      {blocks.map((block, index) => (
        // Pieces only ever change or appear at the end.
        <Block key={index} text={block} />
      ))}
    </div>
  );
});
