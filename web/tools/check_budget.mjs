// Fails the build when the first paint needs too much JavaScript: the page's own scripts and what
// they import at once, gzipped.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const LIMIT_BYTES = 400_000;
const dist = new URL('../dist/', import.meta.url).pathname;

const html = readFileSync(join(dist, 'index.html'), 'utf8');
if (/https?:\/\//.test(html)) fail('index.html names an address elsewhere');
const queue = [...html.matchAll(/(?:src|href)="\.\/([^"]+\.js)"/g)].map(([, path]) => path);
const seen = new Map();
while (queue.length > 0) {
  const path = queue.pop();
  if (seen.has(path)) continue;
  const source = readFileSync(join(dist, path), 'utf8');
  seen.set(path, gzipSync(source, { level: 9 }).length);
  for (const [, imported] of source.matchAll(/(?:from|import)\s*"(\.\/[^"]+\.js)"/g)) queue.push(join(dirname(path), imported));
}
const total = [...seen.values()].reduce((sum, bytes) => sum + bytes, 0);
console.log(`first paint: ${(total / 1000).toFixed(1)} kB of gzipped JavaScript in ${seen.size} files (limit ${LIMIT_BYTES / 1000} kB)`);
if (total > LIMIT_BYTES) fail('too much JavaScript for the first paint');

function fail(message) {
  console.error(`error: ${message}`);
  process.exit(1);
}
