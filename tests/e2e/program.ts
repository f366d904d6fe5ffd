import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createNetServer } from 'node:net';

// The program under test, and a slow line to it.

const PROGRAM = process.env['OCELLI_PROGRAM'] ?? new URL('../../build/release/ocelli', import.meta.url).pathname;

export class Program {
  private child: ChildProcess | undefined;
  private constructor(
    readonly port: number,
    private readonly args: readonly string[],
  ) {}

  // Starts `ocelli serve` on a free port; resolves when it is ready.
  static async start(...args: string[]): Promise<Program> {
    const program = new Program(await freePort(), args);
    await program.restart();
    return program;
  }

  private get basePath(): string {
    const at = this.args.indexOf('--base-path');
    return at < 0 ? '' : `${this.args[at + 1]?.slice(1)}/`;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  async restart(): Promise<void> {
    this.child = spawn(PROGRAM, ['serve', '--port', String(this.port), '--threads', '1', ...this.args], { stdio: ['ignore', 'ignore', 'pipe'] });
    let words = '';
    this.child.stderr?.on('data', (data) => (words += String(data)));
    for (let tries = 0; tries < 600; tries += 1) {
      if (this.child.exitCode !== null || this.child.signalCode !== null) throw new Error(`ocelli serve ended: ${words}`);
      const ready = await fetch(`${this.url}${this.basePath}ready`).catch(() => null);
      if (ready?.ok) return;
      await pause(100);
    }
    throw new Error(`ocelli serve did not become ready: ${words}`);
  }

  // Ends it at once, as a crash would.
  async kill(): Promise<void> {
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }
}

export interface Line {
  upBytesPerS: number; // 0: as fast as it goes
  eventMs: number; // pause before each server-sent event
}

// A line to a program that can be slow in either direction. It keeps the Host, so the page has one
// origin; when the program goes away, so do its answers.
export class SlowLine {
  readonly line: Line = { upBytesPerS: 0, eventMs: 0 };
  private server: Server | undefined;

  constructor(private readonly target: Program) {}

  async start(): Promise<string> {
    this.server = createServer((request, response) => void this.pass(request, response));
    await new Promise<void>((resolve) => this.server?.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  // Breaks every connection, as a program does that dies.
  drop(): void {
    this.server?.closeAllConnections();
  }

  stop(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const upstream = httpRequest({ host: '127.0.0.1', port: this.target.port, path: request.url, method: request.method, headers: request.headers });
    const drop = () => response.destroy();
    upstream.on('error', drop);
    response.on('close', () => upstream.destroy());
    upstream.on('response', (answer) => void this.passBack(answer, response));
    try {
      for await (const piece of request) {
        upstream.write(piece);
        if (this.line.upBytesPerS > 0) await pause(((piece as Buffer).length / this.line.upBytesPerS) * 1000);
      }
      upstream.end();
    } catch {
      upstream.destroy();
    }
  }

  private async passBack(answer: IncomingMessage, response: ServerResponse): Promise<void> {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    response.flushHeaders();
    const events = String(answer.headers['content-type']).includes('event-stream');
    try {
      for await (const piece of answer) {
        if (!events || this.line.eventMs === 0) {
          response.write(piece);
          continue;
        }
        for (const event of String(piece).split(/(?<=\n\n)/)) {
          await pause(this.line.eventMs);
          response.write(event);
        }
      }
      response.end();
    } catch {
      response.destroy(); // the program went away in the middle
    }
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createNetServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

