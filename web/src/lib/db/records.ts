// What the browser keeps. Everything here is plain data: it survives structured cloning and, with
// pictures as base64, JSON.

export interface PictureRecord {
  id: string;
  name: string;
  kind: string; // "JPEG", as its bytes say
  bytes: number;
  width: number | null; // pixels, upright; null when the browser cannot read the kind
  height: number | null;
  blob: Blob; // what is sent
  shrunkFrom?: { width: number; height: number; bytes: number };
  addedAt: number;
}

export interface ConversationRecord {
  id: string;
  title: string;
  renamed: boolean; // by the user: no longer follows the first question
  createdAt: number;
  updatedAt: number;
  shown: Record<string, string>; // a message's id (or ROOT) -> which of its children is shown
}

// The parent of first messages in ConversationRecord.shown.
export const ROOT = 'root';

export type AnswerState =
  | 'writing'
  | 'done'
  | 'length' // the bound on the answer cut it
  | 'loop' // the server ended endless repetition
  | 'stopped' // by the user
  | 'interrupted' // the page or the server went away
  | 'failed';

export interface AnswerError {
  kind: 'key' | 'busy' | 'loading' | 'network' | 'too_large' | 'refused' | 'server' | 'storage';
  message: string; // the server's own words; may be empty
  status?: number;
  retryAfterS?: number;
}

// How the server used one picture.
export interface PictureUse {
  width: number;
  height: number;
  usedWidth: number;
  usedHeight: number;
  tokens: number;
  enhanced?: Enhancement;
}

// What the server did to a picture before it was read. What the model names are places of the result.
export interface Enhancement {
  width: number;
  height: number;
  steps: string[]; // those that changed something, in their order
  blank: boolean; // nothing can be read on it
  toOriginal: number[]; // 3x3, row by row: a place of the result in pixels -> of the original
}

export interface AnswerUsage {
  promptTokens: number;
  imageTokens: number | null;
  cachedTokens: number | null;
  completionTokens: number;
  pictures: PictureUse[];
}

// **Units**: milliseconds, seen from here; null when the phase was not seen.
export interface AnswerTimes {
  total: number;
  firstToken: number | null;
  encoding: number | null;
  prefill: number | null;
  writing: number | null;
}

export interface AnswerRecord {
  state: AnswerState;
  error?: AnswerError;
  model: string;
  usage?: AnswerUsage;
  times?: AnswerTimes;
  tokensPerSecond?: number;
  writer?: string; // which tab writes it
  savedAt: number; // refreshed while it is written
}

export interface MessageRecord {
  id: string;
  conversationId: string;
  parentId: string | null;
  role: 'user' | 'assistant';
  text: string;
  pictureIds: string[]; // in sending order
  ocr: boolean;
  createdAt: number;
  answer?: AnswerRecord; // of the assistant
}

// What is being composed in one conversation ("new" for the next one).
export interface DraftRecord {
  id: string;
  text: string;
  pictureIds: string[];
  ocr: boolean;
}
