// POST /predict and its tasks, by multipart and by JSON.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataUrl, example, user } from './pictures.mjs';
import { Server } from './server.mjs';

let server;
before(async () => (server = await Server.start()));
after(async () => assert.equal(await server.stop(), 0));

async function finished(id) {
  for (let left = 600; left > 0; --left) {
    const task = await (await server.get(`/predict/${id}`)).json();
    if (!['queued', 'running'].includes(task.status)) return task;
    await sleep(50);
  }
  assert.fail(`task ${id} did not end in 30 s`);
}

async function chatAnswer() {
  const reply = await server.post('/v1/chat/completions',
    { messages: [user(example('open.png'), 'Read the text.')], temperature: 0 });
  return (await reply.json()).choices[0].message.content;
}

test('a picture and a question by multipart give a task and then the answer', async () => {
  const form = new FormData();
  form.set('image', new Blob([example('open.png')], { type: 'image/png' }), 'open.png');
  form.set('question', 'Read the text.');
  form.set('temperature', '0');
  const reply = await server.get('/predict', { method: 'POST', body: form });
  assert.equal(reply.status, 202);
  const { task_id: id } = await reply.json();
  const task = await finished(id);
  assert.equal(task.status, 'done', JSON.stringify(task));
  assert.equal(task.result.text, await chatAnswer());
});

test('the same by JSON', async () => {
  const reply = await server.post('/predict',
    { image: dataUrl(example('open.png')), question: 'Read the text.', temperature: 0 });
  const { task_id: id } = await reply.json();
  assert.equal((await finished(id)).result.text, await chatAnswer());
});

test('DELETE cancels a running task; unknown ids are 404; bad pictures fail at once', async () => {
  const reply = await server.post('/predict',
    { image: dataUrl(example('open.png')), question: 'Read.', max_new_tokens: 4000, ignore_eos: true });
  const { task_id: id } = await reply.json();
  assert.equal((await server.get(`/predict/${id}`, { method: 'DELETE' })).status, 200);
  assert.equal((await finished(id)).status, 'cancelled');
  assert.equal((await server.get('/predict/nobody')).status, 404);
  const bad = await server.post('/predict', { image: 'data:image/png;base64,AAAA', question: 'x' });
  assert.equal(bad.status, 400);
});
