import type OpenAI from 'openai';
import type { MessageRecord, PictureRecord } from '@/lib/db';
import type { Settings } from '@/features/settings';
import type { ServerFacts } from '@/features/status';
import { OCR_IMAGE_TOKENS, OCR_MAX_TOKENS, OCR_SAMPLING, ocrQuestion } from '@/features/ocr';

type Streaming = OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming;
type Message = OpenAI.Chat.Completions.ChatCompletionMessageParam;
type Part = OpenAI.Chat.Completions.ChatCompletionContentPart;

// A picture as it is sent: with its bytes as a data: URL, or only by its name when the server has it.
export interface SentPicture {
  uuid: string;
  url?: string;
}

// Side of an image token where the server does not say: that of every published Qwen3-VL.
const TOKEN_SIDE_PX = 32;

export interface Question {
  path: readonly MessageRecord[]; // ends with the question, or with the answer that goes on
  picture: (id: string) => Promise<SentPicture>;
  settings: Settings;
  facts: ServerFacts;
}

// Builds the call. **Errors**: those of `picture`.
export async function buildRequest({ path, picture, settings, facts }: Question): Promise<Streaming> {
  const messages: Message[] = [];
  const systemPrompt = settings.systemPrompt.trim();
  if (systemPrompt) messages.push({ role: 'system', content: systemPrompt });
  for (const message of path) {
    if (message.role === 'assistant') {
      // An answer that never came is no turn.
      if (message.text) messages.push({ role: 'assistant', content: message.text });
    } else {
      messages.push({ role: 'user', content: await partsOf(message, picture, budgetPixels(message.ocr, settings, facts)) });
    }
  }
  const goesOn = path.at(-1)?.role === 'assistant';
  return {
    ...(facts.model ? { model: facts.model } : {}),
    messages,
    stream: true,
    ...samplingOf(path, settings),
    // The server's own extensions (docs/api.md), which the openai package does not know.
    ...({ stream_options: { include_usage: true, include_progress: true } } as object),
    ...(goesOn ? { continue_final_message: true } : {}),
  } as Streaming;
}

async function partsOf(message: MessageRecord, picture: Question['picture'], maxPixels: number | null): Promise<Part[]> {
  const parts: Part[] = [];
  for (const id of message.pictureIds) {
    const budget = maxPixels === null ? {} : { max_pixels: maxPixels };
    const { url, uuid } = await picture(id);
    // uuid, max_pixels and enhance are the server's own; a picture that it has needs no URL.
    const enhance = message.ocr ? { enhance: true } : {};
    const part = { type: 'image_url', uuid, ...(url === undefined ? {} : { image_url: { url } }), ...budget, ...enhance };
    parts.push(part as unknown as Part);
  }
  const text = message.ocr ? ocrQuestion(message.text) : message.text;
  if (text) parts.push({ type: 'text', text });
  return parts;
}

// The most pixels of a picture; null leaves it to the server.
export function budgetPixels(ocr: boolean, settings: Pick<Settings, 'pictureTokens'>, facts: ServerFacts): number | null {
  const tokens = settings.pictureTokens ?? (ocr ? OCR_IMAGE_TOKENS : null);
  if (tokens === null) return null;
  return tokens * (facts.pictures.tokenSide ?? TOKEN_SIDE_PX) ** 2;
}

function samplingOf(path: readonly MessageRecord[], settings: Settings): Record<string, unknown> {
  const question = path.findLast((message) => message.role === 'user');
  if (!question?.ocr) return { ...settings.sampling };
  const { max_tokens = OCR_MAX_TOKENS } = settings.sampling;
  return { ...OCR_SAMPLING, max_tokens: Math.max(max_tokens, OCR_MAX_TOKENS), loop_guard: true };
}

// How large the call is as JSON, nearly: what is not counted (settings, names, brackets) is small
// beside what is. **Units**: bytes.
export function requestBytes({ messages }: Pick<Streaming, 'messages'>): number {
  const words = (text: string) => new Blob([text]).size;
  return messages.reduce((sum, { content }) => {
    if (typeof content === 'string') return sum + words(content);
    const parts = (content ?? []) as readonly Partial<{ text: string; image_url: { url: string } }>[];
    // A data: URL is ASCII: its length is its size.
    return parts.reduce((inner, part) => inner + words(part.text ?? '') + (part.image_url?.url.length ?? 0), sum);
  }, 0);
}

// A picture's bytes as a data: URL.
export function toDataUrl(picture: PictureRecord): Promise<string> {
  const reader = new FileReader();
  return new Promise((resolve, reject) => {
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error('unreadable'));
    reader.readAsDataURL(picture.blob);
  });
}
