import { create } from 'zustand';
import { isQuotaError, type PictureRecord } from '@/lib/db';
import { loadDraft, saveDraft } from '@/features/history';
import { checkCount, keepPicture, loadPictures, readPicture, shrinkFile, shrinkPicture, worthShrinking, type ReadPicture, type Refusal } from '@/features/pictures';
import { useStatus } from '@/features/status';
import { noteTrouble } from '@/lib/trouble';

// The message that is being written. Each conversation has its own draft, which survives a reload.
export interface Composer {
  draftId: string; // the conversation's id, or NEW
  text: string;
  pictures: readonly PictureRecord[];
  originals: ReadonlyMap<string, PictureRecord>; // of shrunk pictures, to go back
  refusals: readonly Refusal[];
  ocr: boolean;
  reading: number; // files being looked at
}

export const NEW = 'new';

export const useComposer = create<Composer>()(() => ({
  draftId: NEW,
  text: '',
  pictures: [],
  originals: new Map(),
  refusals: [],
  ocr: false,
  reading: 0,
}));

const { getState, setState } = useComposer;

// Shows the draft of another conversation.
export async function openDraft(draftId: string): Promise<void> {
  setState({ draftId, text: '', pictures: [], refusals: [], ocr: false });
  const draft = await loadDraft(draftId).catch(() => noteTrouble('unread'));
  if (!draft || getState().draftId !== draftId) return;
  const pictures = (await loadPictures(draft.pictureIds).catch((): (PictureRecord | null)[] => [])).filter((picture) => picture !== null);
  // What was typed meanwhile wins.
  if (getState().draftId === draftId && !getState().text && getState().pictures.length === 0) setState({ text: draft.text, pictures, ocr: draft.ocr });
}

export function setText(text: string): void {
  setState({ text });
  keepDraftSoon();
}

export function setOcr(ocr: boolean): void {
  setState({ ocr });
  keepDraftSoon();
}

export function clearComposer(): void {
  setState({ text: '', pictures: [], originals: new Map(), refusals: [] });
  keepDraftSoon();
}

// Takes files in their order; those that are refused say why.
export async function addFiles(files: readonly File[]): Promise<void> {
  setState(({ reading }) => ({ reading: reading + files.length, refusals: [] }));
  for (const file of files) {
    const { facts } = useStatus.getState();
    const tooMany = checkCount(file.name, getState().pictures.length, facts.pictures);
    const read = tooMany ? { refusal: tooMany } : await readPicture(file, facts.pictures).catch((): ReadPicture => ({ refusal: { reason: 'unreadable', name: file.name } }));
    if ('picture' in read) await take(read.picture);
    else refuse(read.refusal);
    setState(({ reading }) => ({ reading: reading - 1 }));
  }
}

// Resolves when every file that was given has been looked at.
export function readingDone(): Promise<void> {
  return new Promise((resolve) => {
    const unsubscribe = useComposer.subscribe(check);
    check();
    function check(): void {
      if (getState().reading > 0) return;
      queueMicrotask(() => unsubscribe());
      resolve();
    }
  });
}

// A refused file, shrunk.
export async function addShrunk(index: number, file: File): Promise<void> {
  dismiss(index);
  setState(({ reading }) => ({ reading: reading + 1 }));
  const picture = await shrinkFile(file).catch(() => null);
  if (picture) await take(picture);
  else refuse({ reason: 'unreadable', name: file.name });
  setState(({ reading }) => ({ reading: reading - 1 }));
}

async function take(picture: PictureRecord): Promise<void> {
  try {
    await keepPicture(picture);
    setState(({ pictures }) => ({ pictures: [...pictures, picture] }));
    keepDraftSoon();
  } catch (error) {
    refuse({ reason: isQuotaError(error) ? 'storage' : 'notKept', name: picture.name });
  }
}

function refuse(refusal: Refusal): void {
  setState(({ refusals }) => ({ refusals: [...refusals, refusal] }));
}

export function dismiss(index: number): void {
  setState(({ refusals }) => ({ refusals: refusals.filter((_, at) => at !== index) }));
}

export function removePicture(index: number): void {
  setState(({ pictures }) => ({ pictures: pictures.filter((_, at) => at !== index) }));
  keepDraftSoon();
}

export function movePicture(from: number, to: number): void {
  setState(({ pictures }) => ({ pictures: moved(pictures, from, to) }));
  keepDraftSoon();
}

export function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const next = [...items];
  const [item] = next.splice(from, 1);
  if (item !== undefined) next.splice(to, 0, item);
  return next;
}

// Puts a smaller copy in the picture's place; the original can come back.
export async function shrinkAt(index: number): Promise<void> {
  const original = getState().pictures[index];
  if (!original || original.width === null || original.height === null) return;
  const small = await shrinkPicture({ ...original, size: { width: original.width, height: original.height } }).catch(() => null);
  if (!small) return refuse({ reason: 'notShrunk', name: original.name });
  await replace(original, small);
  if (!getState().pictures.includes(small)) return;
  setState(({ originals }) => ({ originals: new Map(originals).set(small.id, original) }));
}

// The pictures of which a smaller copy would spare much.
export function canShrink({ bytes, width, height, shrunkFrom }: PictureRecord): boolean {
  return !shrunkFrom && width !== null && height !== null && worthShrinking(bytes, { width, height });
}

// One after the other: a large picture takes much memory while it is shrunk.
export async function shrinkAll(): Promise<void> {
  for (const [index, picture] of getState().pictures.entries()) if (canShrink(picture)) await shrinkAt(index);
}

export async function unshrinkAt(index: number): Promise<void> {
  const small = getState().pictures[index];
  const original = small && getState().originals.get(small.id);
  if (small && original) await replace(small, original);
}

async function replace(old: PictureRecord, next: PictureRecord): Promise<void> {
  try {
    await keepPicture(next);
  } catch (error) {
    return refuse({ reason: isQuotaError(error) ? 'storage' : 'notKept', name: next.name });
  }
  setState(({ pictures }) => ({ pictures: pictures.map((picture) => (picture.id === old.id ? next : picture)) }));
  keepDraftSoon();
}

const KEEP_AFTER_MS = 300;
let timer: ReturnType<typeof setTimeout> | undefined;

function keepDraftSoon(): void {
  clearTimeout(timer);
  timer = setTimeout(() => void keepDraft(), KEEP_AFTER_MS);
}

// Keeps the draft now: before another one is shown, and when the page goes.
export async function keepDraft(): Promise<void> {
  clearTimeout(timer);
  const { draftId, text, pictures, ocr } = getState();
  // A draft that cannot be kept is still on the page.
  await saveDraft({ id: draftId, text, pictureIds: pictures.map(({ id }) => id), ocr }).catch(() => undefined);
}
