// packages: ai@6 @ai-sdk/openai-compatible@2
// Vercel's AI SDK. It sends every picture as image/jpeg, whatever it is.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText } from 'ai';

const provider = createOpenAICompatible({ name: 'ocelli', baseURL: `${process.env.OCELLI_URL}/v1`, includeUsage: true });
const { text } = await generateText({
  model: provider(process.env.OCELLI_MODEL_ID), temperature: 0,
  messages: [{ role: 'user', content: [
    { type: 'image', image: Buffer.from(process.env.OCELLI_PICTURE_URL.split(',')[1], 'base64') },
    { type: 'text', text: 'Read the text.' }] }],
});
console.log(text);
