// packages: openai@6
// openai-node, chat completions, streamed.
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: `${process.env.OCELLI_URL}/v1`, apiKey: 'unused' });
const stream = await client.chat.completions.create({
  model: process.env.OCELLI_MODEL_ID, temperature: 0, stream: true,
  messages: [{ role: 'user', content: [
    { type: 'image_url', image_url: { url: process.env.OCELLI_PICTURE_URL } },
    { type: 'text', text: 'Read the text.' }] }],
});
let text = '';
for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
console.log(text);
