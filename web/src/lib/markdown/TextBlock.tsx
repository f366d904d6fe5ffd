import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { elements } from './elements';

// A piece of an answer without formulas.
export default function TextBlock({ text }: { text: string }) {
  return (
    <ReactMarkdown remarkPlugins={[remarkGfm]} components={elements}>
      {text}
    </ReactMarkdown>
  );
}
