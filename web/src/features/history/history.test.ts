import 'fake-indexeddb/auto';
import { afterEach, describe, expect, it } from 'vitest';
import { openDatabase, type ConversationRecord, type MessageRecord, type PictureRecord } from '@/lib/db';
import { groupOf } from './groups';
import { addMessages, deleteConversation, markInterrupted, newConversation, renameConversation, searchConversations, showVersion, sweepPictures, TAB, titleOf } from './store';
import { exportHistory, importHistory } from './transfer';
import { checkHistoryFile } from './transfer_check';
import { pathTo, shownPath } from './tree';

function message(id: string, parentId: string | null, change: Partial<MessageRecord> = {}): MessageRecord {
  return { id, conversationId: 'conversation1', parentId, role: 'user', text: id, pictureIds: [], ocr: false, createdAt: Number(id.slice(-1)), ...change };
}

function picture(id: string, addedAt = 0): PictureRecord {
  return { id, name: `${id}.png`, kind: 'PNG', bytes: 3, width: 1, height: 1, blob: new Blob([Uint8Array.of(1, 2, 255)]), addedAt };
}

afterEach(async () => {
  const database = await openDatabase();
  await Promise.all(database.tables.map((table) => table.clear()));
});

describe('the shown path', () => {
  const tree = [message('question1', null), message('answer002', 'question1'), message('answer003', 'question1'), message('question4', 'answer002'), message('question5', null)];

  it('follows the choices, and the newest where none was made', () => {
    expect(shownPath(tree, {}).map(({ message: { id } }) => id)).toEqual(['question5']);
    const path = shownPath(tree, { root: 'question1', question1: 'answer002' });
    expect(path.map(({ message: { id } }) => id)).toEqual(['question1', 'answer002', 'question4']);
    expect(path[1]?.versions).toEqual(['answer002', 'answer003']);
  });

  it('ends in a tree that goes in circles', () => {
    expect(shownPath([message('aaaaaaa1', 'aaaaaaa1')], {})).toEqual([]);
    expect(pathTo([message('aaaaaaa1', 'aaaaaaa2'), message('aaaaaaa2', 'aaaaaaa1')], 'aaaaaaa1')).toHaveLength(2);
  });

  it('leads to any message', () => {
    expect(pathTo(tree, 'question4').map(({ id }) => id)).toEqual(['question1', 'answer002', 'question4']);
    expect(pathTo(tree, null)).toEqual([]);
  });
});

describe('the store', () => {
  it('begins no conversation whose first messages cannot be kept', async () => {
    const begun = newConversation('t');
    const question = message('question9', null, { conversationId: begun.id });
    await expect(addMessages(begun.id, [question, question], begun)).rejects.toThrow();
    const database = await openDatabase();
    expect(await database.conversations.get(begun.id)).toBeUndefined();
    expect(await database.messages.get('question9')).toBeUndefined();
  });

  it('keeps messages with the versions shown', async () => {
    const begun = newConversation('t');
    const { id } = begun;
    await addMessages(id, [message('question1', null, { conversationId: id }), message('answer002', 'question1', { conversationId: id })], begun);
    const database = await openDatabase();
    expect((await database.conversations.get(id))?.shown).toEqual({ root: 'question1', question1: 'answer002' });
    await showVersion(id, 'question1', 'answer003');
    expect((await database.conversations.get(id))?.shown['question1']).toBe('answer003');
    await renameConversation(id, ' new ');
    expect(await database.conversations.get(id)).toMatchObject({ title: 'new', renamed: true });
  });

  it('finds text in titles and messages, in any case', async () => {
    const invoice = newConversation('Invoice');
    const { id } = invoice;
    const other = newConversation('二');
    await addMessages(id, [], invoice);
    await addMessages(other.id, [message('question1', null, { conversationId: other.id, text: '发票金额 TOTAL' })], other);
    const database = await openDatabase();
    expect([...(await searchConversations(database, 'invoice'))]).toEqual([id]);
    expect([...(await searchConversations(database, 'total'))]).toEqual([other.id]);
    expect([...(await searchConversations(database, '发票'))]).toEqual([other.id]);
    expect((await searchConversations(database, 'absent')).size).toBe(0);
  });

  it('deletes, and brings back what was deleted', async () => {
    const begun = newConversation('t');
    const { id } = begun;
    await addMessages(id, [message('question1', null, { conversationId: id })], begun);
    const database = await openDatabase();
    const undo = await deleteConversation(id);
    expect(await database.messages.count()).toBe(0);
    await undo();
    expect([await database.conversations.count(), await database.messages.count()]).toEqual([1, 1]);
  });

  it('sweeps old pictures that nothing uses', async () => {
    const database = await openDatabase();
    await database.pictures.bulkAdd([picture('used'), picture('drafted'), picture('orphan'), picture('young', 99_000)]);
    await database.messages.add(message('question1', null, { pictureIds: ['used'] }));
    await database.drafts.add({ id: 'new', text: '', pictureIds: ['drafted'], ocr: false });
    expect(await sweepPictures(100_000)).toBe(1);
    expect((await database.pictures.toCollection().primaryKeys()).sort()).toEqual(['drafted', 'used', 'young']);
  });

  it('marks answers that nobody writes any more as interrupted, with their text', async () => {
    const database = await openDatabase();
    const writing = (id: string, writer: string, savedAt: number) => message(id, null, { role: 'assistant', text: 'half', answer: { state: 'writing', model: 'm', writer, savedAt } });
    await database.messages.bulkAdd([writing('mine0001', TAB, 99_000), writing('theirs02', 'other', 99_000), writing('dead0003', 'other', 10), writing('live0004', TAB, 99_000)]);
    await markInterrupted(new Set(['live0004']), 100_000);
    const states = (await database.messages.toArray()).map(({ id, text, answer }) => [id, text, answer?.state]);
    expect(states).toEqual([['dead0003', 'half', 'interrupted'], ['live0004', 'half', 'writing'], ['mine0001', 'half', 'interrupted'], ['theirs02', 'half', 'writing']]);
  });

  it('takes its title from the first line', () => {
    expect(titleOf('  one\ntwo')).toBe('one');
    expect(titleOf('字'.repeat(50))).toBe(`${'字'.repeat(40)}…`);
  });
});

describe('export and import', () => {
  const conversation: ConversationRecord = { id: 'conversation1', title: 't', renamed: true, createdAt: 1, updatedAt: 2, shown: { root: 'question1' } };

  it('brings everything back, pictures included, and skips what is here', async () => {
    const database = await openDatabase();
    await database.conversations.add(conversation);
    await database.messages.bulkAdd([message('question1', null, { pictureIds: ['picture001'] }), message('answer002', 'question1', { role: 'assistant', answer: { state: 'writing', model: 'm', savedAt: 5 } })]);
    await database.pictures.add(picture('picture001'));
    const file = await exportHistory();
    expect(await importHistory(file)).toEqual({ added: 0, skipped: 1 });
    await Promise.all(database.tables.map((table) => table.clear()));
    expect(await importHistory(file)).toEqual({ added: 1, skipped: 0 });
    expect(await database.conversations.toArray()).toEqual([conversation]);
    expect((await database.messages.get('answer002'))?.answer?.state).toBe('interrupted');
    const restored = await database.pictures.get('picture001');
    expect(restored?.blob.type).toBe('image/png');
    expect(new Uint8Array((await restored?.blob.arrayBuffer()) ?? [])).toEqual(Uint8Array.of(1, 2, 255));
  });

  const good = { format: 'ocelli-history', version: 1, conversations: [conversation], messages: [message('question1', null)], pictures: [] };

  it.each([
    ['another program', { ...good, format: 'x' }, 'format'],
    ['another version', { ...good, version: 2 }, 'version'],
    ['no list', { ...good, messages: {} }, 'messages'],
    ['a bad id', { ...good, conversations: [{ ...conversation, id: '../x' }] }, 'conversations[0].id'],
    ['a strange role', { ...good, messages: [{ ...good.messages[0], role: 'system' }] }, 'messages[0].role'],
    ['a message of nobody', { ...good, messages: [{ ...good.messages[0], conversationId: 'elsewhere1' }] }, 'messages[0].conversationId'],
    ['a kind that is no picture', { ...good, pictures: [{ ...picture('picture001'), kind: 'SVG', data: '' }] }, 'pictures[0].kind'],
    ['a time that is none', { ...good, conversations: [{ ...conversation, createdAt: 'now' }] }, 'conversations[0].createdAt'],
    ['a wrong choice', { ...good, conversations: [{ ...conversation, shown: { __proto__x: 1 } }] }, 'conversations[0].shown'],
  ])('refuses %s, naming the place', (_, file, place) => {
    expect(() => checkHistoryFile(file)).toThrow(place);
  });

  it('takes over what was done to a picture, and refuses a transform that is none', () => {
    const enhanced = { width: 4, height: 3, steps: ['deskew'], blank: false, toOriginal: [1, 0, 0, 0, 1, 0, 0, 0, 1] };
    const file = (change: object) => {
      const usage = { promptTokens: 9, completionTokens: 1, imageTokens: 8, cachedTokens: null, pictures: [{ width: 4, height: 3, usedWidth: 4, usedHeight: 3, tokens: 8, enhanced: { ...enhanced, ...change } }] };
      return { ...good, messages: [{ ...message('answer001', null), role: 'assistant', answer: { state: 'done', model: 'm', savedAt: 0, usage } }] };
    };
    expect(checkHistoryFile(file({})).messages[0]?.answer?.usage?.pictures[0]?.enhanced).toEqual(enhanced);
    expect(() => checkHistoryFile(file({ toOriginal: [1] }))).toThrow('messages[0].answer.usage.pictures[0].enhanced.toOriginal');
    expect(() => checkHistoryFile(file({ steps: [1] }))).toThrow('enhanced.steps');
  });

  it('takes a good file and refuses what is not JSON', async () => {
    expect(checkHistoryFile(good).messages).toHaveLength(1);
    await expect(importHistory(new Blob(['{']))).rejects.toThrow('json');
  });
});

describe('groupOf', () => {
  it('sorts by calendar days', () => {
    const now = new Date(2026, 10, 30, 12).getTime();
    const at = (day: number, hour: number) => new Date(2026, 10, day, hour).getTime();
    expect([at(30, 0), at(29, 23), at(24, 12), at(5, 12), at(-60, 0)].map((time) => groupOf(time, now))).toEqual(['today', 'yesterday', 'week', 'month', 'older']);
  });
});
