import { beforeAll, describe, expect, it } from 'vitest';
import { cleanSampling } from './sampling';

describe('cleanSampling', () => {
  it('keeps numbers within their bounds and nothing else', () => {
    expect(cleanSampling({ temperature: 9, top_k: '40', min_p: Number.NaN, other: 1 })).toEqual({ temperature: 2 });
    expect(cleanSampling(null)).toEqual({});
  });
});

describe('cleanSettings', () => {
  let cleanSettings: (saved: unknown) => unknown;
  beforeAll(async () => {
    const values = new Map<string, string>();
    Object.assign(globalThis, {
      localStorage: {
        getItem: (key: string) => values.get(key) ?? null,
        setItem: (key: string, value: string) => values.set(key, value),
        removeItem: (key: string) => values.delete(key),
      },
    });
    ({ cleanSettings } = await import('./store'));
  });

  it('reads anything that storage may hold', () => {
    const defaults = { language: null, theme: 'auto', apiKey: '', systemPrompt: '', sampling: {}, pictureTokens: null };
    for (const saved of [undefined, null, 7, 'x', [], { theme: 'pink', language: 'fr', pictureTokens: -1, apiKey: 3 }]) {
      expect(cleanSettings(saved)).toEqual(defaults);
    }
  });
});
