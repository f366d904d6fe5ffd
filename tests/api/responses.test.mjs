// The Responses API as OpenAI's own client uses it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { dataUrl, example } from './pictures.mjs';
import { Server } from './server.mjs';

let server, client, model;
before(async () => {
  server = await Server.start();
  client = server.client();
  model = (await client.models.list()).data[0].id;
});
after(async () => assert.equal(await server.stop(), 0));

const input = () => [{
  role: 'user',
  content: [
    { type: 'input_image', image_url: dataUrl(example('open.png')), detail: 'auto' },
    { type: 'input_text', text: 'Read the text.' },
  ],
}];

test('a response carries what the chat endpoint answers to the same question', async () => {
  const response = await client.responses.create({ model, input: input(), temperature: 0 });
  const chat = await client.chat.completions.create({
    model, temperature: 0,
    messages: [{ role: 'user', content: [
      { type: 'image_url', image_url: { url: dataUrl(example('open.png')) } }, { type: 'text', text: 'Read the text.' }] }],
  });
  assert.equal(response.object, 'response');
  assert.equal(response.status, 'completed');
  assert.equal(response.output_text, chat.choices[0].message.content);
  assert.equal(response.usage.input_tokens, chat.usage.prompt_tokens);
  assert.ok(Number.isInteger(response.usage.input_tokens_details.cached_tokens));
  assert.deepEqual(response.output[0].content[0].annotations, []);
});

test('the events of a stream are complete and in order', async () => {
  const events = [];
  for await (const event of await client.responses.create({ model, input: input(), stream: true })) events.push(event);
  events.forEach((event, i) => assert.equal(event.sequence_number, i));
  const types = events.map((event) => event.type).filter((type, i, all) => type !== all[i - 1]);
  assert.deepEqual(types, [
    'response.created', 'response.in_progress', 'response.output_item.added', 'response.content_part.added',
    'response.output_text.delta', 'response.output_text.done', 'response.content_part.done',
    'response.output_item.done', 'response.completed',
  ]);
  const deltas = events.filter((event) => event.type === 'response.output_text.delta');
  const text = events.find((event) => event.type === 'response.output_text.done').text;
  assert.equal(deltas.map((event) => event.delta).join(''), text);
  assert.equal(events.at(-1).response.output[0].content[0].text, text);
});

test('a bound that cuts the answer makes the response incomplete', async () => {
  const response = await client.responses.create({ model, input: input(), max_output_tokens: 2 });
  assert.equal(response.status, 'incomplete');
  assert.equal(response.incomplete_details.reason, 'max_output_tokens');
});

test('plain text and instructions work; what does not exist is refused by name', async () => {
  const response = await client.responses.create({ model, input: 'hi', instructions: 'Be short.', max_output_tokens: 4 });
  assert.equal(response.output[0].role, 'assistant');
  for (const body of [{ previous_response_id: 'resp_1' }, { tools: [{ type: 'function', name: 'f', parameters: {} }] }]) {
    await assert.rejects(client.responses.create({ model, input: 'hi', ...body }), (error) => {
      assert.equal(error.status, 400);
      assert.equal(error.param, Object.keys(body)[0]);
      return true;
    });
  }
});
