import { isObject } from '@/lib/api';
import { ROOT, type AnswerRecord, type AnswerState, type AnswerUsage, type ConversationRecord, type Enhancement, type MessageRecord, type PictureRecord, type PictureUse } from '@/lib/db';

// What a file of exported history may hold. It comes from anywhere, so every field is checked and
// every list is bounded; a file that breaks a rule is refused whole, naming the place.

export const FORMAT = 'ocelli-history';
export const VERSION = 1;
export const MAX_FILE_BYTES = 512 * 2 ** 20;

const MAX_CONVERSATIONS = 20_000;
const MAX_MESSAGES = 200_000;
const MAX_PICTURES = 20_000;
const MAX_TEXT = 1_000_000;
const MAX_PICTURES_OF_MESSAGE = 256;
const KINDS = ['JPEG', 'PNG', 'WebP', 'GIF', 'BMP', 'TIFF', 'HEIC', 'AVIF'];
const STATES: readonly AnswerState[] = ['done', 'length', 'loop', 'stopped', 'interrupted', 'failed'];

export type PictureInFile = Omit<PictureRecord, 'blob'> & { data: string };

export interface HistoryFile {
  conversations: ConversationRecord[];
  messages: MessageRecord[];
  pictures: PictureInFile[];
}

export class TransferError extends Error {}

export function checkHistoryFile(value: unknown): HistoryFile {
  if (!isObject(value) || value['format'] !== FORMAT) throw new TransferError('format');
  if (value['version'] !== VERSION) throw new TransferError('version');
  const file: HistoryFile = {
    conversations: list(value, 'conversations', MAX_CONVERSATIONS, checkConversation),
    messages: list(value, 'messages', MAX_MESSAGES, checkMessage),
    pictures: list(value, 'pictures', MAX_PICTURES, checkPicture),
  };
  const known = new Set(file.conversations.map(({ id }) => id));
  const stray = file.messages.findIndex(({ conversationId }) => !known.has(conversationId));
  if (stray >= 0) throw new TransferError(`messages[${stray}].conversationId`);
  return file;
}

type Fields = Record<string, unknown>;

function list<T>(value: Fields, key: string, limit: number, check: (item: Fields, at: string) => T): T[] {
  const items = value[key];
  if (!Array.isArray(items) || items.length > limit) throw new TransferError(key);
  return items.map((item, index) => {
    const at = `${key}[${index}]`;
    if (!isObject(item)) throw new TransferError(at);
    return check(item, at);
  });
}

function checkConversation(item: Fields, at: string): ConversationRecord {
  return {
    id: id(item, 'id', at),
    title: text(item, 'title', at, 1000),
    renamed: item['renamed'] === true,
    createdAt: moment(item, 'createdAt', at),
    updatedAt: moment(item, 'updatedAt', at),
    shown: checkShown(item['shown'], at),
  };
}

function checkShown(value: unknown, at: string): Record<string, string> {
  if (!isObject(value)) throw new TransferError(`${at}.shown`);
  const entries = Object.entries(value);
  const fine = entries.every(([key, child]) => (key === ROOT || isId(key)) && isId(child));
  if (!fine || entries.length > MAX_MESSAGES) throw new TransferError(`${at}.shown`);
  return Object.fromEntries(entries) as Record<string, string>;
}

function checkMessage(item: Fields, at: string): MessageRecord {
  const role = item['role'];
  if (role !== 'user' && role !== 'assistant') throw new TransferError(`${at}.role`);
  const pictureIds = item['pictureIds'];
  if (!Array.isArray(pictureIds) || pictureIds.length > MAX_PICTURES_OF_MESSAGE || !pictureIds.every(isId)) {
    throw new TransferError(`${at}.pictureIds`);
  }
  return {
    id: id(item, 'id', at),
    conversationId: id(item, 'conversationId', at),
    parentId: item['parentId'] === null ? null : id(item, 'parentId', at),
    role,
    text: text(item, 'text', at, MAX_TEXT),
    pictureIds,
    ocr: item['ocr'] === true,
    createdAt: moment(item, 'createdAt', at),
    ...(role === 'assistant' ? { answer: checkAnswer(item['answer'], at) } : {}),
  };
}

// Of an answer's figures those are taken over that say where its boxes stand.
function checkAnswer(value: unknown, at: string): AnswerRecord {
  if (!isObject(value)) throw new TransferError(`${at}.answer`);
  const state = STATES.find((name) => name === value['state']) ?? 'interrupted';
  const usage = isObject(value['usage']) ? checkUsage(value['usage'], `${at}.answer.usage`) : undefined;
  return { state, model: text(value, 'model', `${at}.answer`, 200), savedAt: 0, ...(usage ? { usage } : {}) };
}

const MAX_USES = 4096;
const MAX_STEPS = 32;

function checkUsage(value: Fields, at: string): AnswerUsage {
  const pictures = list(value, 'pictures', MAX_USES, (item, place) => checkUse(item, `${at}.${place}`));
  const counts = { promptTokens: count(value, 'promptTokens', at), completionTokens: count(value, 'completionTokens', at) };
  const some = (key: string) => (value[key] === null || value[key] === undefined ? null : count(value, key, at));
  return { ...counts, imageTokens: some('imageTokens'), cachedTokens: some('cachedTokens'), pictures };
}

function checkUse(item: Fields, at: string): PictureUse {
  const number = (key: string) => count(item, key, at);
  const use = { width: number('width'), height: number('height'), usedWidth: number('usedWidth'), usedHeight: number('usedHeight'), tokens: number('tokens') };
  return isObject(item['enhanced']) ? { ...use, enhanced: checkEnhancement(item['enhanced'], `${at}.enhanced`) } : use;
}

function checkEnhancement(item: Fields, at: string): Enhancement {
  const { steps, toOriginal } = item;
  if (!Array.isArray(steps) || steps.length > MAX_STEPS || !steps.every((step) => typeof step === 'string' && step.length <= 40)) throw new TransferError(`${at}.steps`);
  if (!Array.isArray(toOriginal) || toOriginal.length !== 9 || !toOriginal.every(Number.isFinite)) throw new TransferError(`${at}.toOriginal`);
  return { width: count(item, 'width', at), height: count(item, 'height', at), steps, blank: item['blank'] === true, toOriginal };
}

function checkPicture(item: Fields, at: string): PictureInFile {
  const kind = text(item, 'kind', at, 10);
  if (!KINDS.includes(kind)) throw new TransferError(`${at}.kind`);
  return {
    id: id(item, 'id', at),
    name: text(item, 'name', at, 500),
    kind,
    bytes: whole(item, 'bytes', at),
    width: item['width'] === null ? null : whole(item, 'width', at),
    height: item['height'] === null ? null : whole(item, 'height', at),
    addedAt: moment(item, 'addedAt', at),
    data: text(item, 'data', at, MAX_FILE_BYTES),
  };
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z0-9]{8,64}$/.test(value);
}

function id(item: Fields, key: string, at: string): string {
  const value = item[key];
  if (!isId(value)) throw new TransferError(`${at}.${key}`);
  return value;
}

function text(item: Fields, key: string, at: string, limit: number): string {
  const value = item[key];
  if (typeof value !== 'string' || value.length > limit) throw new TransferError(`${at}.${key}`);
  return value;
}

function whole(item: Fields, key: string, at: string): number {
  const value = item[key];
  if (!Number.isSafeInteger(value) || (value as number) < 1) throw new TransferError(`${at}.${key}`);
  return value as number;
}

function count(item: Fields, key: string, at: string): number {
  const value = item[key];
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new TransferError(`${at}.${key}`);
  return value as number;
}

function moment(item: Fields, key: string, at: string): number {
  const value = item[key];
  if (typeof value !== 'number' || !(value >= 0 && value <= 8.64e15)) throw new TransferError(`${at}.${key}`);
  return value;
}
