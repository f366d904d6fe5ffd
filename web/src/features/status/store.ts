import { create } from 'zustand';
import { numberAt, readJson, readText, stringAt } from '@/lib/api';
import { useSettings } from '@/features/settings';
import { FACTS_UNKNOWN, parseFacts, type ServerFacts } from './facts';
import { loadOf, parseMetrics, type Load } from './metrics';

export type Condition =
  | 'unknown' // not asked yet
  | 'ready'
  | 'loading' // the model is being loaded
  | 'unwell' // it answers, but cannot work (draining, engine stuck)
  | 'away'; // no answer at all

export interface ServerStatus {
  condition: Condition;
  stage: string; // of loading, in the server's words
  progress: number | null; // of loading, 0 to 1
  message: string; // why it is unwell
  keyAsked: boolean; // it wants a key that we do not have
  facts: ServerFacts;
  load: Load;
  failures: number; // checks in a row without an answer
  nextCheckAt: number | null; // while away
}

export const useStatus = create<ServerStatus>()(() => ({
  condition: 'unknown',
  stage: '',
  progress: null,
  message: '',
  keyAsked: false,
  facts: FACTS_UNKNOWN,
  load: { waiting: null, running: null },
  failures: 0,
  nextCheckAt: null,
}));

// Asks the server how it is. Never rejects.
export async function checkServer(): Promise<void> {
  const { apiKey } = useSettings.getState();
  try {
    const ready = await readJson('ready', apiKey);
    useStatus.setState({ ...conditionOf(ready.status, ready.body), failures: 0, nextCheckAt: null });
    if (ready.status === 200) await Promise.all([readFacts(apiKey), readLoad(apiKey)]);
  } catch {
    useStatus.setState((before) => ({ condition: 'away', failures: before.failures + 1 }));
  }
}

// A call was answered with 401: say so everywhere.
export function noteKeyAsked(): void {
  useStatus.setState({ keyAsked: true });
}

export function conditionOf(status: number, body: unknown): Pick<ServerStatus, 'condition' | 'stage' | 'progress' | 'message'> {
  const quiet = { stage: '', progress: null, message: '' };
  if (status === 200) return { condition: 'ready', ...quiet };
  if (status === 502 || status === 504) throw new TypeError('the proxy cannot reach the server');
  const progress = numberAt(body, 'progress') ?? null;
  const stage = stringAt(body, 'stage') ?? '';
  const loading = stringAt(body, 'status') === 'loading' || progress !== null;
  if (status === 503 && loading) return { condition: 'loading', stage, progress, message: '' };
  return { condition: 'unwell', ...quiet, message: stringAt(body, 'message') ?? stringAt(body, 'status') ?? '' };
}

async function readFacts(apiKey: string): Promise<void> {
  const models = await readJson('v1/models', apiKey);
  if (models.status === 401) noteKeyAsked();
  if (models.status === 200) useStatus.setState({ facts: parseFacts(models.body), keyAsked: false });
}

async function readLoad(apiKey: string): Promise<void> {
  const metrics = await readText('metrics', apiKey);
  if (metrics.status === 200) useStatus.setState({ load: loadOf(parseMetrics(metrics.text)) });
}
