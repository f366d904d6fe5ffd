import { useState } from 'react';
import { copyText } from './clipboard';
import { noteTrouble } from './trouble';

const SHOWN_MS = 2000;

// Copies text; `copied` is true for a moment after that worked. When it did not, the page says so.
export function useCopy(text: string): { copied: boolean; copy: () => void } {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    const done = await copyText(text);
    if (!done) noteTrouble('copy');
    setCopied(done);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return { copied, copy: () => void copy() };
}
