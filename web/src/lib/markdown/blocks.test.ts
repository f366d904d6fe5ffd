import { describe, expect, it } from 'vitest';
import { splitBlocks } from './blocks';

describe('splitBlocks', () => {
  it('cuts at blank lines and loses nothing', () => {
    const text = '# Title\n\nFirst.\nStill first.\n\n\nSecond.';
    const blocks = splitBlocks(text);
    expect(blocks).toHaveLength(3);
    expect(blocks.join('\n')).toBe(text);
  });

  it('keeps code with blank lines in one piece, closed or not', () => {
    expect(splitBlocks('```js\na\n\nb\n```\n\nafter')).toEqual(['```js\na\n\nb\n```\n', 'after']);
    expect(splitBlocks('```js\na\n\nb')).toEqual(['```js\na\n\nb']);
    expect(splitBlocks('````\n```\n\nx\n````')).toHaveLength(1);
  });

  it('keeps formulas in one piece', () => {
    expect(splitBlocks('$$\na\n\nb\n$$\n\nafter')).toEqual(['$$\na\n\nb\n$$\n', 'after']);
    expect(splitBlocks('$$x$$\n\nafter')).toHaveLength(2);
  });

  it('keeps loose lists together, so that numbers go on', () => {
    expect(splitBlocks('1. a\n\n2. b\n\n   more of b\n\nafter')).toEqual(['1. a\n\n2. b\n\n   more of b\n', 'after']);
  });

  it('keeps a text with link definitions whole', () => {
    expect(splitBlocks('[a][1]\n\nb\n\n[1]: https://example.org')).toHaveLength(1);
  });

  it('leaves finished pieces as they are while text is added', () => {
    const text = 'One.\n\nTwo.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n\nmore\n```\n\nEnd.';
    let before: string[] = [];
    for (let end = 1; end <= text.length; end += 1) {
      const blocks = splitBlocks(text.slice(0, end));
      expect(blocks.slice(0, Math.max(0, before.length - 1))).toEqual(before.slice(0, -1));
      before = blocks;
    }
  });
});
