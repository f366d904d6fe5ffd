// node bench/soak/soak.mjs [MINUTES] [CLIENTS]: the long version of tests/api/load.test.mjs, on the binary in
// OCELLI_BINARY (default build/release/ocelli; build/dev and build/tsan for the sanitizers). Prints one line a
// minute, and fails when an answer differs from its solo answer, memory grows, a sanitizer reports something, or
// the server dies.

import assert from 'node:assert/strict';
import { burst, soak, soloAnswers } from '../../tests/api/soak.mjs';
import { Server } from '../../tests/api/server.mjs';

const kMayGrowMib = 32;
const minutes = Number(process.argv[2] ?? 10), clients = Number(process.argv[3] ?? 8);

async function overload(server) {
  const { replies, slowestHealthMs } = await burst(server, 200);
  const served = replies.filter((reply) => reply.status === 200).length;
  const refused = replies.filter((reply) => reply.status === 503).length;
  assert.ok(served > 0 && refused > 0 && served + refused === replies.length, JSON.stringify(replies));
  console.log(`200 at once: ${served} answered, ${refused} refused; slowest /health ${slowestHealthMs.toFixed(0)} ms`);
}

// Caches so small that they are full within the first minute: from then on memory has to be flat.
const server = await Server.start(['--max-queue', '64', '--kv-memory', '32M', '--vision-cache', '2M', '--max-results', '50']);
try {
  const solo = await soloAnswers(server, 40);
  await overload(server);
  let base;
  for (let minute = 1; minute <= minutes; ++minute) {
    const end = Date.now() + 60_000;
    const counts = await soak(server, { solo, clients, goOn: () => Date.now() < end });
    const memory = server.anonymousMib();
    base ??= memory;
    console.log(`minute ${minute}: ${JSON.stringify(counts)}, ${memory.toFixed(1)} MiB anonymous`);
    assert.ok(memory - base < kMayGrowMib, `memory grew by ${(memory - base).toFixed(1)} MiB`);
    assert.ok(!server.reports, 'a sanitizer reported something');
  }
  await overload(server);
} finally {
  const code = await server.stop();
  if (code !== 0 || server.reports) {
    console.error(`the server ended with ${code}; it said:\n${server.reports || server.log.slice(-4000)}`);
    process.exitCode = 1;
  }
}
