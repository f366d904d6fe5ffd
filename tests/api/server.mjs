// Starts the real binary for a test file and stops it again.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const binary = process.env.OCELLI_BINARY ?? join(root, 'build/release/ocelli');
const kStartMs = 60_000;
// The address sanitizer holds freed memory back, up to a quarter of a gigabyte, which would look like a leak.
const kAsanOptions = ['quarantine_size_mb=16', process.env.ASAN_OPTIONS].filter(Boolean).join(':');
const kTsanOptions = [`suppressions=${join(root, 'tests/api/tsan_suppressions.txt')}`, process.env.TSAN_OPTIONS].filter(Boolean).join(':');

/** A running `ocelli serve`: where it listens, its log so far, and how to end it. */
export class Server {
  /** Starts a server on a free port and waits until it is ready. */
  static async start(args = []) {
    const server = new Server(args);
    await server.#untilReady();
    return server;
  }

  constructor(args) {
    this.log = '';
    this.child = spawn(binary, ['serve', '--port', '0', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ASAN_OPTIONS: kAsanOptions, TSAN_OPTIONS: kTsanOptions },
    });
    this.child.stdout.on('data', (bytes) => (this.log += bytes));
    this.child.stderr.on('data', (bytes) => (this.log += bytes));
    this.exited = once(this.child, 'exit');
  }

  async #untilReady() {
    for (const end = Date.now() + kStartMs; Date.now() < end; await sleep(50)) {
      if (this.child.exitCode !== null) break;
      this.url ??= /https?:\/\/127\.0\.0\.1:\d+[^\s]*/.exec(this.log)?.[0].replace(/\/$/, '');
      if (this.url && (await this.get('/ready').catch(() => null))?.status === 200) return;
    }
    this.child.kill('SIGKILL');
    throw new Error(`the server did not get ready; it said:\n${this.log}`);
  }

  /** Ends the server as an operator would; returns its exit code. */
  async stop() {
    this.child.kill('SIGTERM');
    const [code] = await this.exited;
    return code;
  }

  get alive() {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  get(path, init) {
    return fetch(this.url + path, init);
  }

  post(path, body, init = {}) {
    const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
    return fetch(this.url + path, {
      method: 'POST', body: text, ...init,
      headers: { 'content-type': 'application/json', ...init.headers },
    });
  }

  /** The official client, pointed at this server; it never retries unless told so. */
  client(options = {}) {
    return new OpenAI({ baseURL: `${this.url}/v1`, apiKey: 'unused', maxRetries: 0, ...options });
  }

  /** What a sanitizer said so far; '' when nothing. */
  get reports() {
    if (!/ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|runtime error:/.test(this.log)) return '';
    return this.log.split('\n').filter((line) => !line.includes(' info request ')).join('\n');
  }

  /** Anonymous memory of the process, in MiB: what grows when something leaks. */
  anonymousMib() {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    return Number(/RssAnon:\s+(\d+) kB/.exec(status)[1]) / 1024;
  }
}
