import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { localStore } from '@/lib/local_store';

// How fast this server was in earlier answers, for estimates. **Units**: milliseconds a token.
export interface Speeds {
  model: string;
  picture: number | null; // reading one image token: encoder and prompt together
  writing: number | null;
}

const UNKNOWN: Speeds = { model: '', picture: null, writing: null };

export const useSpeeds = create<Speeds>()(persist(() => UNKNOWN, { name: 'ocelli.speeds', storage: localStore() }));

export interface Measured {
  model: string;
  freshImageTokens: number; // that were really read, not taken from a cache
  readingMs: number | null;
  writtenTokens: number;
  writingMs: number | null;
}

// Takes one answer into account. Newer ones weigh more.
export function noteSpeeds(measured: Measured): void {
  const before = useSpeeds.getState();
  const known = before.model === measured.model ? before : UNKNOWN;
  useSpeeds.setState({
    model: measured.model,
    picture: blend(known.picture, measured.freshImageTokens >= 16 ? measured.readingMs : null, measured.freshImageTokens),
    writing: blend(known.writing, measured.writtenTokens >= 8 ? measured.writingMs : null, measured.writtenTokens - 1),
  });
}

export function blend(before: number | null, ms: number | null, tokens: number): number | null {
  if (ms === null || ms <= 0 || tokens <= 0) return before;
  const now = ms / tokens;
  return before === null ? now : before * 0.5 + now * 0.5;
}
