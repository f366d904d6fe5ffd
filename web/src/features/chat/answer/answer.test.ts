import { describe, expect, it } from 'vitest';
import { reduce, startLive, timesOf, tokensPerSecond, type AnswerEvent, type LiveAnswer } from './live';
import { eventsOfChunk } from './wire';

function play(events: [number, AnswerEvent][], text = ''): LiveAnswer {
  return events.reduce((live, [at, event]) => reduce(live, event, at), startLive(text, 0));
}

describe('the stream reducer', () => {
  it('goes through every phase and keeps what each said', () => {
    const live = play([
      [10, { type: 'upload', loaded: 5, total: 10 }],
      [20, { type: 'upload', loaded: 10, total: 10 }],
      [30, { type: 'queue', position: 2 }],
      [40, { type: 'encode', picture: 1, pictures: 2, layer: 6, layers: 24 }],
      [140, { type: 'prefill', done: 100, total: 400 }],
      [340, { type: 'text', text: 'Hel' }],
      [1340, { type: 'text', text: 'lo' }],
    ]);
    expect(live).toMatchObject({ phase: 'writing', text: 'Hello', position: 2, encode: { picture: 1, pictures: 2, share: 0.25 }, prefill: { done: 100, total: 400 } });
    expect(live.since).toEqual({ preparing: 0, uploading: 10, waiting: 20, queue: 30, encode: 40, prefill: 140, writing: 340 });
    expect(timesOf(live)).toEqual({ total: 1340, firstToken: 340, encoding: 100, prefill: 200, writing: 1000 });
  });

  it('appends to what an answer already had', () => {
    expect(play([[1, { type: 'text', text: ' and on' }]], 'So').text).toBe('So and on');
  });

  it('stays ended', () => {
    const live = play([[1, { type: 'end' }], [2, { type: 'queue', position: 0 }]]);
    expect(live.phase).toBe('ended');
  });

  it('counts tokens by the server once it tells, by pieces before', () => {
    const pieces: [number, AnswerEvent][] = Array.from({ length: 11 }, (_, i) => [i * 100, { type: 'text', text: 'x' }]);
    const live = play(pieces);
    expect(tokensPerSecond(live)).toBeCloseTo(10);
    const told = reduce(live, { type: 'usage', usage: { promptTokens: 1, completionTokens: 21, imageTokens: 0, cachedTokens: 0, pictures: [] } }, 1000);
    expect(tokensPerSecond(told)).toBeCloseTo(20);
    expect(tokensPerSecond(play([]))).toBeNull();
  });
});

describe('eventsOfChunk', () => {
  it('reads progress of every kind', () => {
    const read = (progress: object) => eventsOfChunk({ choices: [], ocelli_progress: progress });
    expect(read({ phase: 'queue', position: 3 })).toEqual([{ type: 'queue', position: 3 }]);
    expect(read({ phase: 'encode', picture: 1, pictures: 2, layer: 3, layers: 4 })).toEqual([{ type: 'encode', picture: 1, pictures: 2, layer: 3, layers: 4 }]);
    expect(read({ phase: 'prefill', done_tokens: 5, total_tokens: 6 })).toEqual([{ type: 'prefill', done: 5, total: 6 }]);
    expect(read({ phase: 'new' })).toEqual([]);
  });

  it('reads text and the end', () => {
    expect(eventsOfChunk({ choices: [{ delta: { content: 'a' }, finish_reason: null }] })).toEqual([{ type: 'text', text: 'a' }]);
    expect(eventsOfChunk({ choices: [{ delta: {}, finish_reason: 'length' }] })).toEqual([{ type: 'finish', reason: 'length' }]);
    expect(eventsOfChunk({ choices: [{ delta: {}, finish_reason: 'stop', finish_details: { reason: 'loop' } }] })).toEqual([{ type: 'finish', reason: 'loop' }]);
  });

  it('reads what was done to an enhanced picture, and nothing from a transform that is none', () => {
    const read = (enhanced: object) => {
      const [event] = eventsOfChunk({ choices: [], usage: { prompt_tokens_details: { pictures: [{ image_tokens: 1, enhanced }] } } });
      return event?.type === 'usage' ? event.usage.pictures[0]?.enhanced : null;
    };
    const toOriginal = [1, 0, 5, 0, 1, 6, 0, 0, 1];
    const told = { size: { width: 30, height: 20 }, steps: ['deskew', 3], blank: false, to_original: toOriginal };
    expect(read(told)).toEqual({ width: 30, height: 20, steps: ['deskew'], blank: false, toOriginal });
    expect(read({ ...told, to_original: [1, 2] })).toBeUndefined();
    expect(read({ ...told, to_original: null })).toBeUndefined();
  });

  it('reads usage with each picture', () => {
    const usage = { prompt_tokens: 200, completion_tokens: 9, prompt_tokens_details: { image_tokens: 192, cached_tokens: 180, pictures: [{ original_size: { width: 640, height: 480 }, used_size: { width: 512, height: 384 }, image_tokens: 192 }] } };
    expect(eventsOfChunk({ choices: [], usage })).toEqual([
      { type: 'usage', usage: { promptTokens: 200, completionTokens: 9, imageTokens: 192, cachedTokens: 180, pictures: [{ width: 640, height: 480, usedWidth: 512, usedHeight: 384, tokens: 192 }] } },
    ]);
  });

  it('survives anything', () => {
    for (const chunk of [null, undefined, 3, [], {}, { choices: null }, { choices: [null] }, { choices: [{ delta: 'x' }], usage: null, ocelli_progress: 1 }]) {
      expect(eventsOfChunk(chunk)).toEqual([]);
    }
  });
});
