import type { AnswerError, AnswerTimes, AnswerUsage } from '@/lib/db';

// An answer that is under way, as far as it is known here.

export type Phase =
  | 'preparing' // pictures are read from the browser's store
  | 'uploading'
  | 'waiting' // the server has everything and says nothing yet
  | 'queue'
  | 'encode'
  | 'prefill'
  | 'writing'
  | 'retrying' // the server is full or still loading; asked again at `retryAt`
  | 'ended';

export interface LiveAnswer {
  phase: Phase;
  startedAt: number;
  now: number; // of the last event
  upload: { loaded: number; total: number } | null;
  position: number | null; // in the queue; 0: next
  encode: { picture: number; pictures: number; share: number } | null; // share of this picture, 0 to 1
  prefill: { done: number; total: number } | null;
  since: Partial<Record<Phase, number>>; // when each phase was first seen
  retry: { at: number; error: AnswerError; attempt: number } | null;
  text: string; // with what was there before, when an answer goes on
  pieces: number; // texts received: about the tokens written
  firstTextAt: number | null;
  usage: AnswerUsage | null;
  finish: 'stop' | 'length' | 'loop' | null;
  model: string;
}

export type AnswerEvent =
  | { type: 'phase'; phase: 'preparing' | 'waiting' }
  | { type: 'upload'; loaded: number; total: number }
  | { type: 'queue'; position: number }
  | { type: 'encode'; picture: number; pictures: number; layer: number; layers: number }
  | { type: 'prefill'; done: number; total: number }
  | { type: 'text'; text: string }
  | { type: 'finish'; reason: 'stop' | 'length' | 'loop' }
  | { type: 'usage'; usage: AnswerUsage }
  | { type: 'model'; model: string }
  | { type: 'retry'; at: number; error: AnswerError; attempt: number }
  | { type: 'end' };

export function startLive(text: string, now: number): LiveAnswer {
  return {
    phase: 'preparing',
    startedAt: now,
    now,
    upload: null,
    position: null,
    encode: null,
    prefill: null,
    since: { preparing: now },
    retry: null,
    text,
    pieces: 0,
    firstTextAt: null,
    usage: null,
    finish: null,
    model: '',
  };
}

// What an event makes of an answer. Pure: the same events give the same answer.
export function reduce(live: LiveAnswer, event: AnswerEvent, now: number): LiveAnswer {
  const next = { ...live, now };
  switch (event.type) {
    case 'phase':
      return enter(next, event.phase);
    case 'upload':
      // Once everything is there the server is the one that is waited for.
      return enter({ ...next, upload: { loaded: event.loaded, total: event.total } }, event.loaded < event.total ? 'uploading' : 'waiting');
    case 'queue':
      return enter({ ...next, position: event.position }, 'queue');
    case 'encode':
      return enter({ ...next, encode: { picture: event.picture, pictures: event.pictures, share: event.layers > 0 ? event.layer / event.layers : 0 } }, 'encode');
    case 'prefill':
      return enter({ ...next, prefill: { done: event.done, total: event.total } }, 'prefill');
    case 'text':
      return enter({ ...next, text: live.text + event.text, pieces: live.pieces + 1, firstTextAt: live.firstTextAt ?? now }, 'writing');
    case 'finish':
      return { ...next, finish: event.reason };
    case 'usage':
      return { ...next, usage: event.usage };
    case 'model':
      return { ...next, model: event.model };
    case 'retry':
      return enter({ ...next, retry: { at: event.at, error: event.error, attempt: event.attempt } }, 'retrying');
    case 'end':
      return enter(next, 'ended');
  }
}

function enter(live: LiveAnswer, phase: Phase): LiveAnswer {
  if (live.phase === 'ended') return live;
  return { ...live, phase, since: { ...live.since, [phase]: live.since[phase] ?? live.now } };
}

// Tokens a second while it was written; null before that can be said. The server's count where it is
// known, otherwise the pieces.
export function tokensPerSecond(live: LiveAnswer): number | null {
  if (live.firstTextAt === null) return null;
  const seconds = (live.now - live.firstTextAt) / 1000;
  const tokens = live.usage?.completionTokens ?? live.pieces;
  return seconds > 0.2 && tokens > 2 ? (tokens - 1) / seconds : null;
}

export function timesOf(live: LiveAnswer): AnswerTimes {
  const { encode, prefill, queue } = live.since;
  const first = live.firstTextAt;
  const begun = encode ?? prefill ?? queue ?? null;
  return {
    total: live.now - live.startedAt,
    firstToken: first === null ? null : first - live.startedAt,
    encoding: encode === undefined ? null : (prefill ?? first ?? live.now) - encode,
    prefill: prefill === undefined || first === null || begun === null ? null : first - prefill,
    writing: first === null ? null : live.now - first,
  };
}
