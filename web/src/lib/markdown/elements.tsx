import { isValidElement, type ComponentProps, type ReactNode } from 'react';
import type { Components } from 'react-markdown';
import { CodeBlock } from './CodeBlock';
import { safeHref } from './links';
import classes from './markdown.module.css';

// How each element of an answer is shown.
export const elements: Components = {
  a: ({ href, children }) => {
    const safe = safeHref(href);
    if (!safe) return <span>{children}</span>;
    return (
      <a href={safe} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    );
  },
  // Pictures named by an answer are never loaded: that would be a request to wherever it says.
  img: ({ alt, src }) => <span className={classes.unloaded}>{alt || (typeof src === 'string' ? src : '')}</span>,
  pre: ({ children }) => <Pre>{children}</Pre>,
  table: ({ children }) => (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- wide tables scroll, so the keyboard must reach them
    <div className={classes.table} tabIndex={0} role="group">
      <table>{children}</table>
    </div>
  ),
};

function Pre({ children }: { children?: ReactNode }) {
  if (!isValidElement(children)) return <pre>{children}</pre>;
  const { className, children: content } = children.props as ComponentProps<'code'>;
  const language = /language-(\S+)/.exec(className ?? '')?.[1] ?? '';
  return (
    <CodeBlock language={language} text={textOf(content)}>
      {content}
    </CodeBlock>
  );
}

function textOf(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node);
  if (Array.isArray(node)) return node.map(textOf).join('');
  return isValidElement<{ children?: ReactNode }>(node) ? textOf(node.props.children) : '';
}
