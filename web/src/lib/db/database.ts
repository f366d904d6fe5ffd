import { Dexie, type EntityTable } from 'dexie';
import type { ConversationRecord, DraftRecord, MessageRecord, PictureRecord } from './records';

export type OcelliDatabase = Dexie & {
  conversations: EntityTable<ConversationRecord, 'id'>;
  messages: EntityTable<MessageRecord, 'id'>;
  pictures: EntityTable<PictureRecord, 'id'>;
  drafts: EntityTable<DraftRecord, 'id'>;
};

export function createDatabase(name: string): OcelliDatabase {
  const database = new Dexie(name) as OcelliDatabase;
  database.version(1).stores({
    conversations: 'id, updatedAt',
    messages: 'id, conversationId, [conversationId+createdAt]',
    pictures: 'id, addedAt',
    drafts: 'id',
  });
  return database;
}

export { liveQuery } from 'dexie';
