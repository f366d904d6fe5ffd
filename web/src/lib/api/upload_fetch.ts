// A fetch that tells how far the upload is. fetch itself cannot, and pictures over a slow network
// take longer than anything the server does with them. It serves the openai client: a text body,
// a streamed answer, an abort signal.

export interface UploadProgress {
  loadedBytes: number;
  totalBytes: number;
}

// Headers that a page may not set, or that tell the server nothing it needs.
const LEFT_OUT = /^(user-agent|x-stainless-.*)$/i;

export function uploadFetch(onProgress: (progress: UploadProgress) => void): typeof fetch {
  return (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    return new Promise<Response>((resolve, reject) => {
      send(url, init ?? {}, onProgress, resolve, reject);
    });
  };
}

function send(
  url: string,
  init: RequestInit,
  onProgress: (progress: UploadProgress) => void,
  resolve: (response: Response) => void,
  reject: (error: unknown) => void,
): void {
  const request = new XMLHttpRequest();
  request.open(init.method ?? 'GET', url);
  new Headers(init.headers).forEach((value, name) => {
    if (!LEFT_OUT.test(name)) request.setRequestHeader(name, value);
  });
  request.upload.onprogress = (event) => onProgress({ loadedBytes: event.loaded, totalBytes: event.total });
  const body = new BodyOfRequest(request);
  request.onreadystatechange = () => {
    if (request.readyState === XMLHttpRequest.HEADERS_RECEIVED) resolve(body.response());
  };
  request.onprogress = () => body.pump();
  request.onload = () => body.close();
  const lose = () => {
    const error = new TypeError('network error');
    reject(error);
    body.fail(error);
  };
  request.onerror = lose;
  request.ontimeout = lose;
  stopOn(init.signal, request, body, reject);
  request.send(typeof init.body === 'string' ? init.body : null);
}

function stopOn(signal: AbortSignal | null | undefined, request: XMLHttpRequest, body: BodyOfRequest, reject: (error: unknown) => void): void {
  const stop = () => {
    request.abort();
    const error = new DOMException('stopped', 'AbortError');
    reject(error);
    body.fail(error);
  };
  if (signal?.aborted) stop();
  else signal?.addEventListener('abort', stop, { once: true });
}

// The growing text of an XMLHttpRequest as the byte stream that a Response wants.
class BodyOfRequest {
  private controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  private taken = 0;
  private ended = false;
  private readonly encoder = new TextEncoder();

  constructor(private readonly request: XMLHttpRequest) {}

  response(): Response {
    const { request } = this;
    const headers = new Headers();
    for (const line of request.getAllResponseHeaders().trim().split(/\r?\n/)) {
      const colon = line.indexOf(':');
      if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
    }
    const empty = request.status === 204 || request.status === 304 || request.status < 200;
    const stream = empty
      ? null
      : new ReadableStream<Uint8Array>({
          start: (controller) => {
            this.controller = controller;
          },
          cancel: () => request.abort(),
        });
    return new Response(stream, { status: Math.max(200, request.status), statusText: request.statusText, headers });
  }

  pump(): void {
    const text = this.request.responseText;
    // A half surrogate pair waits for its other half: encoded alone it would be lost.
    const last = text.charCodeAt(text.length - 1);
    const end = last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
    if (this.ended || !this.controller || end <= this.taken) return;
    this.controller.enqueue(this.encoder.encode(text.slice(this.taken, end)));
    this.taken = end;
  }

  close(): void {
    this.pump();
    if (!this.ended) this.controller?.close();
    this.ended = true;
  }

  fail(error: Error): void {
    if (!this.ended) this.controller?.error(error);
    this.ended = true;
  }
}
