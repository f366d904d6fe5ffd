// Writes a .gz beside each text file of the page, so that the server never compresses anything.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const TEXT = /\.(html|js|css|svg|json|txt)$/;
const dist = new URL('../dist/', import.meta.url).pathname;

for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  if (!TEXT.test(name)) continue;
  const path = join(dist, name);
  const plain = readFileSync(path);
  // Node writes no time into the header, so the same page gives the same bytes.
  const zipped = gzipSync(plain, { level: 9 });
  if (zipped.length < plain.length) writeFileSync(`${path}.gz`, zipped);
  else rmSync(`${path}.gz`, { force: true });
}
