import 'katex/dist/katex.min.css';
import ReactMarkdown from 'react-markdown';
import rehypeKatex from 'rehype-katex';
import remarkGfm from 'remark-gfm';
import remarkMath from 'remark-math';
import { elements } from './elements';

// A piece of an answer with formulas. Loaded with the first formula. KaTeX may not make links or
// load anything (trust) and shows faulty formulas as they are written.
export default function MathBlock({ text }: { text: string }) {
  return (
    <ReactMarkdown
      remarkPlugins={[remarkGfm, [remarkMath, { singleDollarTextMath: false }]]}
      rehypePlugins={[[rehypeKatex, { trust: false, strict: false, throwOnError: false, maxSize: 20, maxExpand: 500 }]]}
      components={elements}
    >
      {text}
    </ReactMarkdown>
  );
}
