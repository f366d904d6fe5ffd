import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { localStore } from '@/lib/local_store';
import { cleanSampling, type Sampling } from './sampling';

export type Theme = 'auto' | 'light' | 'dark';

// What the user chose, kept in this browser. Absent choices leave it to the server.
export interface Settings {
  language: 'zh-CN' | 'en' | null; // null: the browser's
  theme: Theme;
  apiKey: string;
  systemPrompt: string;
  sampling: Partial<Sampling>;
  pictureTokens: number | null; // most image tokens of a picture
}

const DEFAULTS: Settings = {
  language: null,
  theme: 'auto',
  apiKey: '',
  systemPrompt: '',
  sampling: {},
  pictureTokens: null,
};

export const useSettings = create<Settings>()(
  persist(() => DEFAULTS, {
    name: 'ocelli.settings', // public/first_paint.js reads it too
    storage: localStore(),
    merge: (saved) => cleanSettings(saved),
  }),
);

export function changeSettings(change: Partial<Settings>): void {
  useSettings.setState(change);
}

// Storage may hold anything: another version's values, a half-written text.
export function cleanSettings(saved: unknown): Settings {
  const values = (typeof saved === 'object' && saved !== null ? saved : {}) as Record<string, unknown>;
  const tokens = values['pictureTokens'];
  return {
    language: values['language'] === 'zh-CN' || values['language'] === 'en' ? values['language'] : null,
    theme: values['theme'] === 'light' || values['theme'] === 'dark' ? values['theme'] : 'auto',
    apiKey: textOf(values['apiKey']),
    systemPrompt: textOf(values['systemPrompt']),
    sampling: cleanSampling(values['sampling']),
    pictureTokens: typeof tokens === 'number' && tokens >= 1 ? Math.floor(tokens) : null,
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
