// What is asked when text is to be read. Greedy and without penalties: print repeats itself, and a
// penalty would change what is written.
export const OCR_PROMPT = '请逐行提取图中所有可见文字';
export const OCR_SAMPLING = { temperature: 0, repetition_penalty: 1, presence_penalty: 0, frequency_penalty: 0 } as const;
export const OCR_MAX_TOKENS = 2048; // a full page
export const OCR_IMAGE_TOKENS = 2048; // small print needs more of the picture than a question about it

// The question of an OCR message: the user's own words, if any, come after the prompt.
export function ocrQuestion(text: string): string {
  const own = text.trim();
  return own ? `${OCR_PROMPT}\n${own}` : OCR_PROMPT;
}
