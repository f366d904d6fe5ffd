import { openDatabase, type OcelliDatabase, type PictureRecord } from '@/lib/db';
import { mimeOf } from '@/features/pictures';
import { checkHistoryFile, FORMAT, MAX_FILE_BYTES, TransferError, VERSION, type PictureInFile } from './transfer_check';

// Everything as one JSON file, pictures included. The parts are joined by the Blob, so that no single
// text ever holds all of it.
export async function exportHistory(): Promise<Blob> {
  const database = await openDatabase();
  const conversations = await database.conversations.toArray();
  const messages = (await database.messages.toArray()).map(settled);
  const used = new Set(messages.flatMap(({ pictureIds }) => pictureIds));
  const parts: string[] = [`{"format":"${FORMAT}","version":${VERSION},"exportedAt":${Date.now()},\n"conversations":${JSON.stringify(conversations)},\n"messages":${JSON.stringify(messages)},\n"pictures":[`];
  let first = true;
  for (const pictureId of used) {
    const picture = await database.pictures.get(pictureId);
    if (!picture) continue;
    const { blob, ...fields } = picture;
    parts.push(`${first ? '' : ','}\n${JSON.stringify({ ...fields, data: await toBase64(blob) })}`);
    first = false;
  }
  parts.push(']}\n');
  return new Blob(parts, { type: 'application/json' });
}

// An answer that is being written goes out as what it is so far.
function settled<T extends { answer?: { state: string; model: string } }>(message: T): T {
  return message.answer?.state === 'writing' ? { ...message, answer: { ...message.answer, state: 'interrupted' } } : message;
}

export interface ImportReport {
  added: number;
  skipped: number; // already here
}

// Takes over what is in the file. Conversations that are already here stay as they are.
// Throws TransferError, whose message names the place, for a file that is not one of ours.
export async function importHistory(file: Blob): Promise<ImportReport> {
  if (file.size > MAX_FILE_BYTES) throw new TransferError('size');
  const checked = checkHistoryFile(parse(await file.text()));
  const pictures = checked.pictures.map(fromFile);
  const database = await openDatabase();
  return database.transaction('rw', database.conversations, database.messages, database.pictures, () => insert(database, { ...checked, pictures }));
}

async function insert(database: OcelliDatabase, file: Omit<ReturnType<typeof checkHistoryFile>, 'pictures'> & { pictures: PictureRecord[] }): Promise<ImportReport> {
  const here = new Set(await database.conversations.toCollection().primaryKeys());
  const added = file.conversations.filter(({ id }) => !here.has(id));
  const ids = new Set(added.map(({ id }) => id));
  const messages = file.messages.filter(({ conversationId }) => ids.has(conversationId));
  const wanted = new Set(messages.flatMap(({ pictureIds }) => pictureIds));
  const known = new Set(await database.pictures.toCollection().primaryKeys());
  await database.conversations.bulkPut(added);
  await database.messages.bulkPut(messages);
  await database.pictures.bulkPut(file.pictures.filter(({ id }) => wanted.has(id) && !known.has(id)));
  return { added: added.length, skipped: file.conversations.length - added.length };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new TransferError('json');
  }
}

function fromFile({ data, ...picture }: PictureInFile): PictureRecord {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  } catch {
    throw new TransferError(`pictures.${picture.id}.data`);
  }
  return { ...picture, bytes: bytes.length, blob: new Blob([bytes], { type: mimeOf(picture.kind) }) };
}

async function toBase64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}

export { TransferError };
