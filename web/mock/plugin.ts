import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Plugin } from 'vite';
import { answerChat } from './chat';

// A stand-in for the server while the page is developed: `npm run dev` needs nothing else. What is
// asked for decides what it plays (see chat.ts). It is never part of the product.
export function mockServer(): Plugin {
  return {
    name: 'mock-server',
    apply: 'serve',
    configureServer: (server) => void server.middlewares.use(play),
    configurePreviewServer: (server) => void server.middlewares.use(play),
  };
}

function play(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const path = (request.url ?? '').split('?')[0];
  const route = ROUTES[`${request.method} ${path}`];
  if (route) void route(request, response);
  else next();
}

type Route = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

const ROUTES: Record<string, Route> = {
  'GET /ready': (_, response) => json(response, 200, { status: 'ready' }),
  'GET /v1/models': (_, response) => json(response, 200, MODELS),
  'GET /metrics': (_, response) => {
    response.setHeader('Content-Type', 'text/plain');
    response.end('ocelli_running_sequences 0\nocelli_waiting_requests 0\n');
  },
  'POST /v1/chat/completions': answerChat,
};

const MODELS = {
  object: 'list',
  data: [
    {
      id: 'Qwen3-VL-2B-Instruct',
      object: 'model',
      created: 0,
      owned_by: 'ocelli',
      context_length: 262_144,
      default_sampling: { temperature: 0.7, top_p: 0.8, top_k: 20, min_p: 0, repetition_penalty: 1, presence_penalty: 1.5, frequency_penalty: 0, max_tokens: 512 },
      pictures: { token_side: 32, min_pixels: 65_536, max_pixels: 16_777_216, default_max_image_tokens: 1024, max_file_bytes: 33_554_432, max_source_pixels: 100_000_000, max_pictures: 64 },
    },
  ],
};

export function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
