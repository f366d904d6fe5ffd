import { describe, expect, it } from 'vitest';
import type { MessageRecord } from '@/lib/db';
import { buildRequest, budgetPixels, requestBytes, type Question } from './request';

const FACTS = { model: 'm', contextTokens: null, maxBodyBytes: 1, defaults: {}, pictures: { tokenSide: 16, minPixels: null, maxPixels: null, defaultTokens: null, maxBytes: 1, maxSourcePixels: 1, maxCount: 1 } };
const SETTINGS = { language: null, theme: 'auto', apiKey: '', systemPrompt: ' Be brief. ', sampling: { temperature: 0.5 }, pictureTokens: null } as const;

function message(change: Partial<MessageRecord>): MessageRecord {
  return { id: 'x', conversationId: 'c', parentId: null, role: 'user', text: '', pictureIds: [], ocr: false, createdAt: 0, ...change };
}

const ask = (path: MessageRecord[], change: Partial<Question> = {}) => buildRequest({ path, picture: async (id) => (id === 'known' ? { uuid: id } : { uuid: id, url: `data:${id}` }), settings: SETTINGS, facts: FACTS, ...change });

describe('buildRequest', () => {
  it('sends pictures in order before the words, and leaves out answers that never came', async () => {
    const request = await ask([message({ text: 'hi', pictureIds: ['a', 'known'] }), message({ role: 'assistant', text: '' }), message({ text: 'more' })]);
    expect(request).toMatchObject({ model: 'm', stream: true, temperature: 0.5, stream_options: { include_usage: true, include_progress: true } });
    expect(request.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'image_url', uuid: 'a', image_url: { url: 'data:a' } }, { type: 'image_url', uuid: 'known' }, { type: 'text', text: 'hi' }] },
      { role: 'user', content: [{ type: 'text', text: 'more' }] },
    ]);
    expect(request).not.toHaveProperty('continue_final_message');
  });

  it('reads text greedily, without penalties, guarded, with more of the picture', async () => {
    const request = await ask([message({ ocr: true, pictureIds: ['a'] })]);
    expect(request).toMatchObject({ temperature: 0, repetition_penalty: 1, max_tokens: 2048, loop_guard: true });
    expect(request.messages[1]?.content).toEqual([
      { type: 'image_url', uuid: 'a', image_url: { url: 'data:a' }, max_pixels: 2048 * 256, enhance: true },
      { type: 'text', text: '请逐行提取图中所有可见文字' },
    ]);
  });

  it('goes on with an answer that was cut', async () => {
    const request = await ask([message({ text: 'hi' }), message({ role: 'assistant', text: 'So far' })]);
    expect(request).toMatchObject({ continue_final_message: true });
    expect(request.messages.at(-1)).toEqual({ role: 'assistant', content: 'So far' });
  });

  it('takes the picture budget from the settings', () => {
    expect(budgetPixels(false, { pictureTokens: null }, FACTS)).toBeNull();
    expect(budgetPixels(true, { pictureTokens: 256 }, FACTS)).toBe(256 * 256);
    expect(budgetPixels(false, { pictureTokens: 1 }, { ...FACTS, pictures: { ...FACTS.pictures, tokenSide: null } })).toBe(1024);
  });

  it('counts pictures as they travel and words as UTF-8', async () => {
    const request = await ask([message({ text: '你好', pictureIds: ['a', 'known'] })], { settings: { ...SETTINGS, systemPrompt: 'ab' } });
    expect(requestBytes(request)).toBe(2 + 'data:a'.length + 6);
  });
});
