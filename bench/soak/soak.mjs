// node bench/soak/soak.mjs [MINUTES] [CLIENTS]: the long version of tests/api/load.test.mjs, on the binary in
// OCELLI_BINARY (default build/release/ocelli; build/dev/ocelli for the address sanitizer). Prints one line a
// minute, and fails when an answer differs from its solo answer, memory grows, or the server dies.

import assert from 'node:assert/strict';
import { burst, soak, soloAnswers } from '../../tests/api/soak.mjs';
import { Server } from '../../tests/api/server.mjs';

const kMayGrowMib = 64;
const minutes = Number(process.argv[2] ?? 10), clients = Number(process.argv[3] ?? 8);

const server = await Server.start(['--max-queue', '64']);
try {
  const solo = await soloAnswers(server, 40);
  let base;
  for (let minute = 1; minute <= minutes; ++minute) {
    const end = Date.now() + 60_000;
    const counts = await soak(server, { solo, clients, goOn: () => Date.now() < end });
    const memory = server.anonymousMib();
    base ??= memory;
    console.log(`minute ${minute}: ${JSON.stringify(counts)}, ${memory.toFixed(1)} MiB anonymous`);
    assert.ok(memory - base < kMayGrowMib, `memory grew by ${(memory - base).toFixed(1)} MiB`);
  }
  const { replies, slowestHealthMs } = await burst(server, 200);
  const served = replies.filter((reply) => reply.status === 200).length;
  console.log(`200 at once: ${served} answered, ${replies.length - served} refused; slowest /health ${slowestHealthMs.toFixed(0)} ms`);
} finally {
  const code = await server.stop();
  if (code !== 0) console.error(`the server ended with ${code}; it said:\n${server.log.slice(-4000)}`);
  process.exitCode ||= code;
}
