import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { preferredLanguage } from '.';
import { en } from './en';
import { zhCN } from './zh_cn';

type Tree = { [key: string]: string | Tree };

function flatten(tree: Tree, prefix = ''): Map<string, string> {
  const flat = new Map<string, string>();
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === 'string') flat.set(prefix + key, value);
    else for (const [inner, text] of flatten(value, `${prefix}${key}.`)) flat.set(inner, text);
  }
  return flat;
}

const chinese = flatten(zhCN);
const english = flatten(en);

describe('the two languages', () => {
  it('have the same keys, each with words', () => {
    expect([...english.keys()].sort()).toEqual([...chinese.keys()].sort());
    for (const text of [...chinese.values(), ...english.values()]) expect(text.trim()).not.toBe('');
  });

  it('use the same values in each sentence', () => {
    const values = (text = '') => [...new Set(text.match(/\{\{\w+\}\}/g) ?? [])].sort();
    for (const [key, text] of chinese) expect({ key, values: values(english.get(key)) }).toEqual({ key, values: values(text) });
  });

  it('have every key that the page asks for', () => {
    for (const key of keysInSources()) expect(chinese.has(key), key).toBe(true);
  });

  it('write Chinese in Chinese and English without Chinese', () => {
    for (const [key, text] of english) expect(/[\u4e00-\u9fff]/.test(text), key).toBe(false);
  });
});

// Keys written out in the sources; those put together from parts are checked by their parts' tests.
function keysInSources(): string[] {
  const root = join(__dirname, '..');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'));
  return files.flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(/\bt\('([a-zA-Z0-9_.]+)'/g)].map(([, key = '']) => key));
}

describe('preferredLanguage', () => {
  it('takes the first wish that can be met', () => {
    expect(preferredLanguage(['zh-TW', 'en'])).toBe('zh-CN');
    expect(preferredLanguage(['fr', 'en-GB', 'zh'])).toBe('en');
    expect(preferredLanguage(['zh', 'en'])).toBe('zh-CN');
    expect(preferredLanguage([])).toBe('en');
  });
});
