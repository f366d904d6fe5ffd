// packages: @langchain/openai @langchain/core
// LangChain.js.
import { HumanMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';

const model = new ChatOpenAI({
  model: process.env.OCELLI_MODEL_ID, temperature: 0, apiKey: 'unused',
  configuration: { baseURL: `${process.env.OCELLI_URL}/v1` },
});
const reply = await model.invoke([new HumanMessage({ content: [
  { type: 'image_url', image_url: { url: process.env.OCELLI_PICTURE_URL } },
  { type: 'text', text: 'Read the text.' }] })]);
console.log(reply.content);
