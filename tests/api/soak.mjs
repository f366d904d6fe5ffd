// Many clients at once, some of them rude: the body of load.test.mjs and of bench/soak.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { spotted, user } from './pictures.mjs';

const kSizes = [[96, 64], [64, 96], [128, 128], [160, 48], [80, 80]];

/** Returns request number `i` of a fixed list of `count` different ones: pictures of five sizes, and plain text. */
function bodyOf(i, count) {
  const seed = i % count;
  const message = seed % 5 === 4 ? user(`Say something about number ${seed}.`)
    : user(spotted(seed, ...kSizes[seed % kSizes.length]), 'Read the text.');
  return { messages: [message], temperature: 0, max_tokens: 8 + (seed % 9) };
}

async function answerOf(server, body) {
  const reply = await server.post('/v1/chat/completions', body);
  assert.equal(reply.status, 200, await reply.clone().text());
  return (await reply.json()).choices[0].message.content;
}

/** Asks each of the `count` requests alone; what the others must equal. */
export async function soloAnswers(server, count) {
  const answers = [];
  for (let i = 0; i < count; ++i) answers.push(await answerOf(server, bodyOf(i, count)));
  return answers;
}

async function streamed(server, body) {
  const reply = await server.post('/v1/chat/completions', { ...body, stream: true });
  assert.equal(reply.status, 200);
  const lines = (await reply.text()).split('\n').filter((line) => line.startsWith('data: {'));
  return lines.flatMap((line) => JSON.parse(line.slice(6)).choices).map((c) => c.delta.content ?? '').join('');
}

// The same question by the Responses form.
async function responded(server, { messages: [{ content }], max_tokens, temperature }) {
  const part = (one) => (one.type === 'text' ? { type: 'input_text', text: one.text } : { type: 'input_image', ...one.image_url, image_url: one.image_url.url });
  const input = [{ role: 'user', content: content.map(part) }];
  const reply = await server.post('/v1/responses', { input, max_output_tokens: max_tokens, temperature });
  assert.equal(reply.status, 200, await reply.clone().text());
  return (await reply.json()).output[0].content[0].text;
}

// The same question as a task.
async function predicted(server, { messages: [{ content }], max_tokens }) {
  const picture = content.find((one) => one.type === 'image_url')?.image_url.url;
  const question = content.find((one) => one.type === 'text').text;
  const reply = await server.post('/predict', { picture, question, max_new_tokens: max_tokens, loop_guard: false });
  assert.equal(reply.status, 202, await reply.clone().text());
  for (let task = await reply.json(); ; await sleep(10)) {
    assert.ok(!['failed', 'cancelled'].includes(task.status), JSON.stringify(task));
    if (task.status === 'done') return task.result.text;
    task = await (await server.get(`/predict/${task.task_id}`)).json();
  }
}

// Leaves in the middle: before the head, or after the first bytes of the answer.
async function leave(server, body, afterMs) {
  const left = new AbortController();
  setTimeout(() => left.abort(), afterMs);
  const long = { ...body, stream: afterMs % 2 === 0, max_tokens: 2000, ignore_eos: true };
  await server.post('/v1/chat/completions', long, { signal: left.signal }).then((reply) => reply.text()).catch(() => {});
}

const kWays = [answerOf, streamed, answerOf, streamed, answerOf, streamed, responded, predicted];

async function badInput(server, i) {
  const bad = ['{', { messages: [] }, { messages: [user({ type: 'nonsense' })] },
    { messages: [user({ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } })] }];
  const reply = await server.post('/v1/chat/completions', bad[i % bad.length]);
  assert.equal(reply.status, 400);
  await reply.json();
}

/** One client: `turns()` says whether to go on. Every answer must equal its solo answer. */
async function client(server, solo, number, goOn, counts) {
  for (let i = number * 7; goOn(); ++i) {
    const body = bodyOf(i, solo.length);
    const what = (i * 2654435761) % 16;
    if (what === 0) {
      await leave(server, body, 20 + (i % 180));
      ++counts.left;
    } else if (what === 1) {
      await badInput(server, i);
      ++counts.refused;
    } else {
      const text = await kWays[what % kWays.length](server, body);
      assert.equal(text, solo[i % solo.length], `request ${i % solo.length} beside others`);
      ++counts.answered;
    }
  }
}

/** Runs `clients` at once while `goOn()`; returns how many were answered, refused and left. */
export async function soak(server, { solo, clients, goOn }) {
  const counts = { answered: 0, refused: 0, left: 0 };
  await Promise.all(Array.from({ length: clients }, (_, number) => client(server, solo, number, goOn, counts)));
  return counts;
}

/** Sends `count` requests at once; returns their statuses and the slowest /health meanwhile, in ms. */
export async function burst(server, count) {
  const body = { ...bodyOf(0, 1), max_tokens: 64, ignore_eos: true };
  let slowest = 0, done = false;
  const replies = Promise.all(Array.from({ length: count }, async () => {
    const reply = await server.post('/v1/chat/completions', body);
    await reply.text();
    return { status: reply.status, retryAfter: reply.headers.get('retry-after') };
  })).finally(() => (done = true));
  while (!done) {
    const start = performance.now();
    assert.equal((await server.get('/health')).status, 200);
    slowest = Math.max(slowest, performance.now() - start);
    await sleep(20);
  }
  return { replies: await replies, slowestHealthMs: slowest };
}
