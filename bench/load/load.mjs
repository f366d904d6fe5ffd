// node bench/load/load.mjs [--clients 1,2,4,8] [--requests 2] [--tokens 32] [--picture 336] [SERVE OPTIONS...]
// Throughput and time to first token over HTTP for several numbers of clients, each streaming answers about a
// picture of its own, then a second question about it. The options after these go to `ocelli serve`, for example:
//   --load-format dummy --config bench/shapes/qwen3_vl_2b
// Prints one table. Rates count what arrives between a client's first and last token while all of them write.

import { parseArgs } from 'node:util';
import { spotted, user } from '../../tests/api/pictures.mjs';
import { Server } from '../../tests/api/server.mjs';

const { values, tokens } = parseArgs({
  strict: false, tokens: true,
  options: {
    clients: { type: 'string', default: '1,2,4,8' }, requests: { type: 'string', default: '2' },
    tokens: { type: 'string', default: '32' }, picture: { type: 'string', default: '336' },
  },
});
const own = new Set(['clients', 'requests', 'tokens', 'picture']);
const serveOptions = tokens.flatMap((t) =>
  t.kind === 'option' ? (own.has(t.name) ? [] : [t.rawName, ...(t.value ? [t.value] : [])]) : t.kind === 'positional' ? [t.value] : []);

/** Streams one answer; returns the times of its tokens, in seconds since it was asked. */
async function answer(server, model, messages, maxTokens) {
  const start = performance.now(), times = [];
  const stream = await server.client().chat.completions.create({
    model, messages, stream: true, max_tokens: maxTokens, temperature: 0, ignore_eos: true, logprobs: true,
  });
  let text = '';
  for await (const chunk of stream) {
    if (chunk.choices[0]?.logprobs) times.push(...chunk.choices[0].logprobs.content.map(() => (performance.now() - start) / 1000));
    text += chunk.choices[0]?.delta.content ?? '';
  }
  return { start: start / 1000, times, text };
}

async function client(server, model, number) {
  const size = Number(values.picture), maxTokens = Number(values.tokens), runs = [];
  for (let i = 0; i < Number(values.requests); ++i) {
    const question = user(spotted(number * 1000 + i, size, size), 'Describe the picture.');
    const first = await answer(server, model, [question], maxTokens);
    const second = await answer(server, model,
      [question, { role: 'assistant', content: first.text }, user('And then?')], maxTokens);
    runs.push({ first, second });
  }
  return runs;
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

/** Tokens a second while every one of the `answers` is being written; NaN when they never are all. */
function sharedRate(answers) {
  const absolute = answers.map(({ start, times }) => times.map((t) => start + t));
  const from = Math.max(...absolute.map((t) => t[0])), to = Math.min(...absolute.map((t) => t.at(-1)));
  const count = absolute.flat().filter((t) => t > from && t <= to).length;
  return to > from ? count / (to - from) : NaN;
}

const server = await Server.start(serveOptions);
try {
  const model = (await server.client().models.list()).data[0].id;
  console.log('| clients | first token, median s | second turn, median s | tokens/s, all writing | tokens/s, whole run |');
  console.log('|---|---|---|---|---|');
  for (const count of values.clients.split(',').map(Number)) {
    const start = performance.now();
    const ofClients = await Promise.all(Array.from({ length: count }, (_, i) => client(server, model, count * 100 + i)));
    const runs = ofClients.flat();
    const seconds = (performance.now() - start) / 1000;
    const rate = sharedRate(ofClients.map(([run]) => run.second));
    const total = runs.flatMap((run) => [...run.first.times, ...run.second.times]).length / seconds;
    console.log(`| ${count} | ${median(runs.map((r) => r.first.times[0])).toFixed(2)} | ` +
      `${median(runs.map((r) => r.second.times[0])).toFixed(2)} | ${rate.toFixed(2)} | ${total.toFixed(2)} |`);
  }
} finally {
  await server.stop();
}
