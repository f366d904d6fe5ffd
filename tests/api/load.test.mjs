// The server under load: exact answers, polite refusals, flat memory. bench/soak runs the same for longer.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { spotted, user } from './pictures.mjs';
import { burst, soak, soloAnswers } from './soak.mjs';
import { Server } from './server.mjs';

let server;
before(async () => (server = await Server.start(['--max-queue', '16'])));
after(async () => assert.equal(await server.stop(), 0));

test('eight clients with pictures, text, bad input and disconnects: each answer equals its solo answer', async () => {
  const solo = await soloAnswers(server, 20);
  let left = 240;
  const counts = await soak(server, { solo, clients: 8, goOn: () => left-- > 0 });
  assert.ok(counts.answered > 150 && counts.refused > 0 && counts.left > 0, JSON.stringify(counts));
  assert.ok(server.alive);
});

test('two hundred requests at once: some wait, the others are refused at once, health answers, the next is normal', async () => {
  const { replies } = await burst(server, 200);
  const refused = replies.filter((reply) => reply.status === 503);
  assert.equal(replies.length - refused.length, replies.filter((reply) => reply.status === 200).length);
  assert.ok(refused.length > 100 && refused.length < 200, `${refused.length} of 200 refused`);
  assert.ok(refused.every((reply) => Number(reply.retryAfter) >= 1));
  const next = await server.post('/v1/chat/completions', { messages: [user('hi')], max_tokens: 2 });
  assert.equal(next.status, 200);
});

// The address sanitizer keeps freed memory on purpose; it reports leaks itself when the server ends.
const skip = process.env.OCELLI_SANITIZED === '1' && 'memory is not flat under the address sanitizer';
test('memory stays flat over different pictures of different sizes once the caches are full', { skip }, async () => {
  const small = await Server.start(['--kv-memory', '6M', '--vision-cache', '2M']);
  const read = async (from, to) => {
    for (let i = from; i < to; ++i) {
      const message = user(spotted(1000 + i, 64 + (i % 11) * 16, 48 + (i % 7) * 16), 'Read the text.');
      const reply = await small.post('/v1/chat/completions', { messages: [message], max_tokens: 1 });
      assert.equal(reply.status, 200);
      await reply.json();
    }
  };
  try {
    await read(0, 80);
    const before = small.anonymousMib();
    await read(80, 200);
    const grown = small.anonymousMib() - before;
    // 120 pictures take 4 MiB as pixels and 20 MiB as keys and values: what a leak of either would add.
    assert.ok(grown < 12, `grew by ${grown.toFixed(1)} MiB`);
  } finally {
    assert.equal(await small.stop(), 0);
  }
});
