import type OpenAI from 'openai';
import { serverUrl } from '../base_url';
import { uploadFetch, type UploadProgress } from './upload_fetch';

// setTimeout's longest: answers of a busy CPU may take any time, and Stop is always there.
const NEVER_MS = 2 ** 31 - 1;

export interface Caller {
  apiKey: string; // may be empty
  conversationId: string; // keeps a conversation with the replica that knows it (deploy/README.md)
}

// Makes the openai client for one call. The library is loaded with the first question.
export async function makeClient({ apiKey, conversationId }: Caller, onUpload: (progress: UploadProgress) => void): Promise<OpenAI> {
  const { default: Client } = await import('openai');
  return new Client({
    apiKey: apiKey || 'none',
    defaultHeaders: { 'X-Conversation-Id': conversationId, ...(apiKey ? {} : { Authorization: null }) },
    baseURL: serverUrl('v1'),
    dangerouslyAllowBrowser: true,
    maxRetries: 0, // retrying is the page's business: it shows why and when
    timeout: NEVER_MS,
    fetch: uploadFetch(onUpload),
  });
}
