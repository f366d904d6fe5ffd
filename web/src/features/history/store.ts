import { openDatabase, ROOT, type ConversationRecord, type DraftRecord, type MessageRecord, type OcelliDatabase } from '@/lib/db';
import { newId } from '@/lib/ids';

// This tab, also after a reload: what it was writing, nobody else writes.
export const TAB = tabName();

function tabName(): string {
  try {
    const kept = sessionStorage.getItem('ocelli.tab') ?? newId();
    sessionStorage.setItem('ocelli.tab', kept);
    return kept;
  } catch {
    return newId();
  }
}

const TITLE_LENGTH = 40;

// The first words of a question, for the list.
export function titleOf(text: string): string {
  const line = text.trim().split('\n')[0]?.trim() ?? '';
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH).trimEnd()}…` : line;
}

// A conversation that is kept with its first messages.
export function newConversation(title: string): ConversationRecord {
  const now = Date.now();
  return { id: newId(), title, renamed: false, createdAt: now, updatedAt: now, shown: {} };
}

// Adds messages, each the child of the one before, and shows them: all of them or, when that fails,
// none. `begun` is the conversation they begin.
export async function addMessages(conversationId: string, messages: readonly MessageRecord[], begun?: ConversationRecord): Promise<void> {
  const database = await openDatabase();
  await database.transaction('rw', database.conversations, database.messages, async () => {
    if (begun) await database.conversations.add(begun);
    await database.messages.bulkAdd([...messages]);
    await database.conversations.where('id').equals(conversationId).modify((conversation) => {
      for (const message of messages) conversation.shown[message.parentId ?? ROOT] = message.id;
      conversation.updatedAt = Date.now();
    });
  });
}

export async function updateMessage(id: string, change: Partial<Pick<MessageRecord, 'text' | 'answer'>>): Promise<void> {
  const database = await openDatabase();
  await database.messages.update(id, change);
}

// Shows another version of a message.
export async function showVersion(conversationId: string, parentId: string | null, id: string): Promise<void> {
  const database = await openDatabase();
  await database.conversations.where('id').equals(conversationId).modify((conversation) => {
    conversation.shown[parentId ?? ROOT] = id;
  });
}

export async function renameConversation(id: string, title: string): Promise<void> {
  const database = await openDatabase();
  await database.conversations.update(id, { title: title.trim().slice(0, 200), renamed: true });
}

// Deletes a conversation; the result brings it back. Its pictures stay until sweepPictures.
export async function deleteConversation(id: string): Promise<() => Promise<void>> {
  const database = await openDatabase();
  return database.transaction('rw', database.conversations, database.messages, async () => {
    const conversation = await database.conversations.get(id);
    const messages = await database.messages.where('conversationId').equals(id).toArray();
    await database.messages.where('conversationId').equals(id).delete();
    await database.conversations.delete(id);
    return async () => {
      if (!conversation) return;
      await database.transaction('rw', database.conversations, database.messages, async () => {
        await database.conversations.put(conversation);
        await database.messages.bulkPut(messages);
      });
    };
  });
}

const FRESH_MS = 60_000;

// Deletes pictures that no message and no draft has. Young ones stay: they are about to be used, or
// an undo may want them back.
export async function sweepPictures(now = Date.now()): Promise<number> {
  const database = await openDatabase();
  return database.transaction('rw', database.messages, database.drafts, database.pictures, async () => {
    const used = new Set<string>();
    const note = (record: { pictureIds: string[] }) => record.pictureIds.forEach((id) => used.add(id));
    await database.messages.each(note);
    await database.drafts.each(note);
    const orphans = await database.pictures.where('addedAt').below(now - FRESH_MS).primaryKeys();
    const unused = orphans.filter((id) => !used.has(id));
    await database.pictures.bulkDelete(unused);
    return unused.length;
  });
}

const SILENT_MS = 20_000;

// Marks answers that nobody writes any more: those of this tab before it was reloaded, and those of
// tabs that have been silent for long. What was written of them stays.
export async function markInterrupted(running: ReadonlySet<string>, now = Date.now()): Promise<void> {
  const database = await openDatabase();
  await database.messages
    .filter(({ id, answer }) => {
      if (answer?.state !== 'writing' || running.has(id)) return false;
      return answer.writer === TAB || now - answer.savedAt > SILENT_MS;
    })
    .modify((message) => {
      if (message.answer) message.answer = { ...message.answer, state: 'interrupted', writer: undefined };
    });
}

export async function loadDraft(id: string): Promise<DraftRecord | undefined> {
  const database = await openDatabase();
  return database.drafts.get(id);
}

export async function saveDraft(draft: DraftRecord): Promise<void> {
  const database = await openDatabase();
  const empty = draft.text === '' && draft.pictureIds.length === 0 && !draft.ocr;
  await (empty ? database.drafts.delete(draft.id) : database.drafts.put(draft));
}

// The ids of conversations in whose title or messages `query` occurs, in any case.
export async function searchConversations(database: OcelliDatabase, query: string): Promise<Set<string>> {
  const wanted = query.trim().toLocaleLowerCase();
  const found = new Set<string>();
  await database.conversations.each(({ id, title }) => {
    if (title.toLocaleLowerCase().includes(wanted)) found.add(id);
  });
  await database.messages.each(({ conversationId, text }) => {
    if (!found.has(conversationId) && text.toLocaleLowerCase().includes(wanted)) found.add(conversationId);
  });
  return found;
}
