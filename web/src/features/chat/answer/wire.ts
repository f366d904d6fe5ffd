import { isObject, listAt, numberAt, objectAt, stringAt } from '@/lib/api';
import type { AnswerUsage, Enhancement, PictureUse } from '@/lib/db';
import type { AnswerEvent } from './live';

// Reads one chunk of a streamed chat completion: text, the end, usage, and the server's own progress
// (docs/api.md, "ocelli_progress"). Unknown fields are passed over.
export function eventsOfChunk(chunk: unknown): AnswerEvent[] {
  const events: AnswerEvent[] = [];
  const progress = progressEvent(objectAt(chunk, 'ocelli_progress'));
  if (progress) events.push(progress);
  const choice = listAt(chunk, 'choices').find(isObject);
  const text = stringAt(objectAt(choice, 'delta'), 'content');
  if (text) events.push({ type: 'text', text });
  const finish = finishEvent(choice);
  if (finish) events.push(finish);
  const usage = objectAt(chunk, 'usage');
  if (usage) events.push({ type: 'usage', usage: usageOf(usage) });
  return events;
}

function progressEvent(progress: Record<string, unknown> | undefined): AnswerEvent | null {
  const number = (key: string) => numberAt(progress, key) ?? 0;
  switch (stringAt(progress, 'phase')) {
    case 'queue':
      return { type: 'queue', position: number('position') };
    case 'encode':
      return { type: 'encode', picture: number('picture'), pictures: number('pictures'), layer: number('layer'), layers: number('layers') };
    case 'prefill':
      return { type: 'prefill', done: number('done_tokens'), total: number('total_tokens') };
    default:
      return null;
  }
}

function finishEvent(choice: Record<string, unknown> | undefined): AnswerEvent | null {
  const reason = stringAt(choice, 'finish_reason');
  if (!reason) return null;
  if (stringAt(objectAt(choice, 'finish_details'), 'reason') === 'loop') return { type: 'finish', reason: 'loop' };
  return { type: 'finish', reason: reason === 'length' ? 'length' : 'stop' };
}

function usageOf(usage: Record<string, unknown>): AnswerUsage {
  const details = objectAt(usage, 'prompt_tokens_details');
  return {
    promptTokens: numberAt(usage, 'prompt_tokens') ?? 0,
    completionTokens: numberAt(usage, 'completion_tokens') ?? 0,
    imageTokens: numberAt(details, 'image_tokens') ?? null,
    cachedTokens: numberAt(details, 'cached_tokens') ?? null,
    pictures: listAt(details, 'pictures').map(pictureUse),
  };
}

function pictureUse(picture: unknown): PictureUse {
  const original = objectAt(picture, 'original_size');
  const used = objectAt(picture, 'used_size');
  return {
    width: numberAt(original, 'width') ?? 0,
    height: numberAt(original, 'height') ?? 0,
    usedWidth: numberAt(used, 'width') ?? 0,
    usedHeight: numberAt(used, 'height') ?? 0,
    tokens: numberAt(picture, 'image_tokens') ?? 0,
    enhanced: enhancementOf(objectAt(picture, 'enhanced')),
  };
}

// Absent where the picture was not to be enhanced, or what is told cannot be used.
function enhancementOf(enhanced: Record<string, unknown> | undefined): Enhancement | undefined {
  const size = objectAt(enhanced, 'size');
  const toOriginal = listAt(enhanced, 'to_original').filter((value) => typeof value === 'number');
  if (toOriginal.length !== 9) return undefined;
  return {
    width: numberAt(size, 'width') ?? 0,
    height: numberAt(size, 'height') ?? 0,
    steps: listAt(enhanced, 'steps').filter((step) => typeof step === 'string'),
    blank: enhanced?.['blank'] === true,
    toOriginal,
  };
}
