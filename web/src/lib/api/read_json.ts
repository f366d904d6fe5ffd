import { serverUrl } from '../base_url';

export interface JsonReply {
  status: number;
  body: unknown; // undefined when it is not JSON
}

// Reads one of the server's small answers. Rejects when the server cannot be reached in time.
export async function readJson(route: string, apiKey: string, timeoutMs = 8000): Promise<JsonReply> {
  const response = await fetch(serverUrl(route), {
    headers: apiKey ? { Authorization: `Bearer ${apiKey}` } : {},
    cache: 'no-store',
    credentials: 'same-origin',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  try {
    return { status: response.status, body: JSON.parse(text) };
  } catch {
    return { status: response.status, body: undefined };
  }
}

export async function readText(route: string, apiKey: string, timeoutMs = 8000): Promise<{ status: number; text: string }> {
  const response = await fetch(serverUrl(route), {
    headers: apiKey ? { Authorization: `Bearer ${apiKey}` } : {},
    cache: 'no-store',
    signal: AbortSignal.timeout(timeoutMs),
  });
  return { status: response.status, text: await response.text() };
}
