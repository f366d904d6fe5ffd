// Cuts Markdown into pieces that can be rendered one by one, so that while an answer is written only
// its last piece changes. Pieces end at blank lines, but never inside code, formulas, lists, quotes
// or tables. Joined with '\n' the pieces are the text again.

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const LIST_ITEM = /^ {0,3}([-*+]|\d{1,9}[.)])( |$)/;
// Definitions are seen from everywhere in the document, so the document stays whole.
const DEFINITION = /^ {0,3}\[[^\]]+\]:/m;

interface Scanner {
  fence: string | null; // what closes the code that we are in
  math: boolean;
  list: boolean;
}

export function splitBlocks(text: string): string[] {
  if (DEFINITION.test(text)) return [text];
  const lines = text.split('\n');
  const blocks: string[] = [];
  const scanner: Scanner = { fence: null, math: false, list: false };
  let start = 0;
  for (let i = 0; i < lines.length; i += 1) {
    const line = lines[i] ?? '';
    if (canEndBefore(scanner, lines, i) && i > start) {
      blocks.push(lines.slice(start, i).join('\n'));
      start = i;
      scanner.list = false;
    }
    step(scanner, line);
  }
  blocks.push(lines.slice(start).join('\n'));
  return blocks;
}

// Whether a new piece may start at line `i`: the line before is blank and this one begins something.
function canEndBefore(scanner: Scanner, lines: string[], i: number): boolean {
  if (scanner.fence !== null || scanner.math || i === 0) return false;
  const line = lines[i] ?? '';
  if (isBlank(line) || !isBlank(lines[i - 1] ?? '')) return false;
  if (scanner.list) return !LIST_ITEM.test(line) && !/^\s/.test(line);
  return !/^( {4}|\t)/.test(line);
}

function step(scanner: Scanner, line: string): void {
  const fence = FENCE.exec(line)?.[1];
  if (scanner.fence !== null) {
    if (fence?.startsWith(scanner.fence) && line.trim() === fence) scanner.fence = null;
    return;
  }
  if (scanner.math) {
    if (/\$\$\s*$/.test(line)) scanner.math = false;
    return;
  }
  if (fence && !/^\s/.test(line)) scanner.fence = fence;
  else if (/^\s*\$\$/.test(line) && !/^\s*\$\$.*\$\$/.test(line)) scanner.math = true;
  if (LIST_ITEM.test(line)) scanner.list = true;
}

function isBlank(line: string): boolean {
  return line.trim() === '';
}
