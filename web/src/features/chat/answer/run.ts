import { create } from 'zustand';
import { isStop, makeClient, toAnswerError } from '@/lib/api';
import { type AnswerError, type AnswerRecord, type AnswerState, type MessageRecord } from '@/lib/db';
import { TAB, updateMessage } from '@/features/history';
import { loadPictures } from '@/features/pictures';
import { useSettings } from '@/features/settings';
import { noteNotKept } from '@/lib/trouble';
import { checkSoon, noteKeyAsked, noteSpeeds, useStatus } from '@/features/status';
import { eventsOfChunk } from './wire';
import { reduce, startLive, timesOf, tokensPerSecond, type AnswerEvent, type LiveAnswer } from './live';
import { buildRequest, requestBytes, toDataUrl, type SentPicture } from './request';

// Answers under way, by the id of their message. They go on whatever the page shows.
export const useLive = create<{ answers: Readonly<Record<string, LiveAnswer>>; conversations: Readonly<Record<string, string>> }>()(() => ({ answers: {}, conversations: {} }));

const PUBLISH_MS = 50; // how often the page is told of new text
const SAVE_MS = 1000; // how often it is kept
const BUSY_PAUSE_S = 5;
const MOST_RETRIES = 30;

interface Job {
  message: MessageRecord; // the answer
  path: readonly MessageRecord[]; // the question, or the question and the answer that goes on
  live: LiveAnswer;
  stop: AbortController;
  retryNow: (() => void) | null;
  byName: boolean; // a picture was sent by its name alone
}

const jobs = new Map<string, Job>();

export function runningAnswers(): ReadonlySet<string> {
  return new Set(jobs.keys());
}

export function stopAnswer(id: string): void {
  jobs.get(id)?.stop.abort();
}

export function retryNow(id: string): void {
  jobs.get(id)?.retryNow?.();
}

// Asks for `message`, an answer that is kept already. Resolves when it has ended, however.
export async function runAnswer(message: MessageRecord, path: readonly MessageRecord[]): Promise<void> {
  const job: Job = { message, path, live: startLive(message.text, Date.now()), stop: new AbortController(), retryNow: null, byName: false };
  jobs.set(message.id, job);
  publish(job);
  const publishing = setInterval(() => publish(job), PUBLISH_MS);
  const saving = setInterval(() => void save(job, 'writing'), SAVE_MS);
  let outcome: Outcome;
  try {
    outcome = await askUntilAnswered(job);
  } finally {
    clearInterval(publishing);
    clearInterval(saving);
  }
  dispatch(job, { type: 'end' });
  publish(job);
  learn(job, outcome);
  const kept = await save(job, outcome.state, outcome.error);
  jobs.delete(message.id);
  forget(message.id, kept);
}

interface Outcome {
  state: AnswerState;
  error?: AnswerError;
}

// Asks; when the server is full or still loading, waits as long as it says and asks again.
async function askUntilAnswered(job: Job): Promise<Outcome> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await ask(job);
    const { error } = outcome;
    const later = error?.kind === 'busy' || error?.kind === 'loading';
    if (!error || !later || job.live.pieces > 0 || attempt > MOST_RETRIES) return outcome;
    const at = Date.now() + (error.retryAfterS ?? BUSY_PAUSE_S) * 1000;
    dispatch(job, { type: 'retry', at, error, attempt });
    checkSoon();
    await pauseUntil(job, at);
    if (job.stop.signal.aborted) return { state: 'stopped' };
  }
}

function pauseUntil(job: Job, at: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      job.retryNow = null;
      job.stop.signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, Math.max(0, at - Date.now()));
    job.stop.signal.addEventListener('abort', done);
    job.retryNow = done;
  });
}

// Pictures that the server has: it keeps them by name, so that a conversation sends each once. It may
// forget; then a call is refused, and asked again with everything.
const uploaded = new Set<string>();

async function ask(job: Job): Promise<Outcome> {
  const outcome = await askOnce(job);
  if (outcome.error?.status !== 400 || !job.byName) return outcome;
  uploaded.clear();
  return askOnce(job);
}

async function askOnce(job: Job): Promise<Outcome> {
  job.byName = false;
  const sent: string[] = [];
  try {
    dispatch(job, { type: 'phase', phase: 'preparing' });
    const settings = useSettings.getState();
    const { facts } = useStatus.getState();
    const request = await buildRequest({ path: job.path, picture: (id) => sentPicture(job, id, sent), settings, facts });
    if (requestBytes(request) > facts.maxBodyBytes) throw new TooLarge();
    const client = await makeClient({ apiKey: settings.apiKey, conversationId: job.message.conversationId }, ({ loadedBytes, totalBytes }) => dispatch(job, { type: 'upload', loaded: loadedBytes, total: totalBytes }));
    const stream = await client.chat.completions.create(request, { signal: job.stop.signal });
    if (job.live.phase !== 'waiting') dispatch(job, { type: 'phase', phase: 'waiting' });
    sent.forEach((id) => uploaded.add(id));
    for await (const chunk of stream) {
      if (!job.live.model && chunk.model) dispatch(job, { type: 'model', model: chunk.model });
      for (const event of eventsOfChunk(chunk)) dispatch(job, event);
    }
    return ended(job);
  } catch (error) {
    return failed(job, error);
  }
}

async function sentPicture(job: Job, id: string, sent: string[]): Promise<SentPicture> {
  if (uploaded.has(id)) {
    job.byName = true;
    return { uuid: id };
  }
  const url = await storedPicture(id);
  if (!url) throw new LostPicture();
  sent.push(id);
  return { uuid: id, url };
}

// Null when the browser has lost it, or cannot read it.
async function storedPicture(id: string): Promise<string | null> {
  try {
    const [picture] = await loadPictures([id]);
    return picture ? await toDataUrl(picture) : null;
  } catch {
    return null;
  }
}

class LostPicture extends Error {}
class TooLarge extends Error {}

function ended(job: Job): Outcome {
  if (job.stop.signal.aborted) return { state: 'stopped' };
  const { finish } = job.live;
  // The connection closed in good order, but before the end: the server went away.
  if (finish === null) return lost(job);
  return { state: finish === 'stop' ? 'done' : finish };
}

function failed(job: Job, error: unknown): Outcome {
  if (job.stop.signal.aborted || isStop(error)) return { state: 'stopped' };
  if (error instanceof LostPicture) return { state: 'failed', error: { kind: 'storage', message: '' } };
  if (error instanceof TooLarge) return { state: 'failed', error: { kind: 'too_large', message: '' } };
  const answerError = toAnswerError(error);
  if (answerError.kind === 'key') noteKeyAsked();
  if (answerError.kind === 'network') return lost(job);
  return { state: 'failed', error: answerError };
}

function lost(job: Job): Outcome {
  checkSoon();
  return { state: job.live.pieces > 0 ? 'interrupted' : 'failed', error: { kind: 'network', message: '' } };
}

function dispatch(job: Job, event: AnswerEvent): void {
  job.live = reduce(job.live, event, Date.now());
}

function publish(job: Job): void {
  const { id, conversationId } = job.message;
  useLive.setState(({ answers, conversations }) => (answers[id] === job.live ? {} : { answers: { ...answers, [id]: job.live }, conversations: { ...conversations, [id]: conversationId } }));
}

// The page shows the kept message from now on. What could not be kept stays in memory.
function forget(id: string, kept: boolean): void {
  const drop = () =>
    useLive.setState(({ answers, conversations }) => {
      const { [id]: answer, ...otherAnswers } = answers;
      const { [id]: conversation, ...otherConversations } = conversations;
      return jobs.has(id) || !answer || !conversation ? {} : { answers: otherAnswers, conversations: otherConversations };
    });
  // By then the database has told the page; dropped earlier, older text would flash up.
  if (kept) setTimeout(drop, 500);
}

async function save(job: Job, state: AnswerState, error?: AnswerError): Promise<boolean> {
  try {
    await updateMessage(job.message.id, { text: job.live.text, answer: recordOf(job.live, state, error) });
    return true;
  } catch (problem) {
    noteNotKept(problem);
    return false;
  }
}

function recordOf(live: LiveAnswer, state: AnswerState, error?: AnswerError): AnswerRecord {
  const writing = state === 'writing';
  return {
    state,
    error,
    model: live.model,
    usage: live.usage ?? undefined,
    times: writing ? undefined : timesOf(live),
    tokensPerSecond: tokensPerSecond(live) ?? undefined,
    writer: writing ? TAB : undefined,
    savedAt: Date.now(),
  };
}

function learn({ live }: Job, { state }: Outcome): void {
  if (state !== 'done' && state !== 'length') return;
  const times = timesOf(live);
  const { imageTokens, cachedTokens, completionTokens = 0 } = live.usage ?? {};
  // A prompt that was partly known tells nothing about reading pictures.
  const fresh = cachedTokens ? 0 : (imageTokens ?? 0);
  noteSpeeds({ model: live.model, freshImageTokens: fresh, readingMs: (times.encoding ?? 0) + (times.prefill ?? 0), writtenTokens: completionTokens, writingMs: times.writing });
}

// The page is being closed or reloaded: keep what there is.
export function saveEverything(): void {
  for (const job of jobs.values()) void save(job, 'writing');
}
