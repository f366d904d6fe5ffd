import { beforeAll, describe, expect, it } from 'vitest';

type Module<T> = T;
let facts: Module<typeof import('./facts')>;
let metrics: Module<typeof import('./metrics')>;
let polling: Module<typeof import('./polling')>;
let speeds: Module<typeof import('./speeds')>;
let store: Module<typeof import('./store')>;

beforeAll(async () => {
  Object.assign(globalThis, { localStorage: { getItem: () => null, setItem: () => undefined, removeItem: () => undefined } });
  facts = await import('./facts');
  metrics = await import('./metrics');
  polling = await import('./polling');
  speeds = await import('./speeds');
  store = await import('./store');
});

describe('parseFacts', () => {
  it('reads what the server says and fills in what it does not', () => {
    const body = { data: [{ id: 'm', context_length: 8192, max_body_bytes: 1000, default_sampling: { temperature: 0 }, pictures: { token_side: 16, max_pictures: 3 } }] };
    const parsed = facts.parseFacts(body);
    expect(parsed).toMatchObject({ model: 'm', contextTokens: 8192, maxBodyBytes: 1000, defaults: { temperature: 0 } });
    expect(parsed.pictures).toMatchObject({ tokenSide: 16, maxCount: 3, minPixels: null, maxBytes: 32 * 2 ** 20 });
  });

  it('survives anything', () => {
    for (const body of [undefined, null, [], { data: 'x' }, { data: [null] }, { data: [{ id: 3, pictures: [] }] }]) {
      expect(facts.parseFacts(body)).toEqual(facts.FACTS_UNKNOWN);
    }
  });
});

describe('parseMetrics', () => {
  it('sums samples over labels and skips comments', () => {
    const sums = metrics.parseMetrics('# HELP a b\na{x="1"} 2\na{x="2"} 3.5\nb 1e3\nc NaN\nbroken');
    expect([...sums]).toEqual([['a', 5.5], ['b', 1000]]);
  });
});

describe('conditionOf', () => {
  it('tells loading, unwell and ready apart', () => {
    expect(store.conditionOf(200, {}).condition).toBe('ready');
    expect(store.conditionOf(503, { status: 'loading', stage: 'weights', progress: 0.4 })).toMatchObject({ condition: 'loading', progress: 0.4, stage: 'weights' });
    expect(store.conditionOf(503, { status: 'draining' })).toMatchObject({ condition: 'unwell', message: 'draining' });
    expect(() => store.conditionOf(502, undefined)).toThrow();
  });
});

describe('pause', () => {
  it('grows while the server is away, up to a limit', () => {
    const waits = [1, 2, 3, 20].map((failures) => polling.pause('away', failures));
    expect(waits[0]).toBe(1000);
    expect(waits[1]).toBeGreaterThan(waits[0] ?? 0);
    expect(waits[3]).toBe(15_000);
  });
});

describe('blend', () => {
  it('starts with the first measurement and then moves half way', () => {
    expect(speeds.blend(null, 100, 10)).toBe(10);
    expect(speeds.blend(10, 200, 10)).toBe(15);
    expect(speeds.blend(10, null, 10)).toBe(10);
    expect(speeds.blend(10, 5, 0)).toBe(10);
  });
});
