import { openDatabase, type ConversationRecord, type MessageRecord, type PictureRecord } from '@/lib/db';
import { newId } from '@/lib/ids';
import { addMessages, newConversation, pathTo, showVersion, TAB, titleOf, updateMessage } from '@/features/history';
import { runAnswer } from './answer/run';

// What the user does to a conversation. Each keeps the messages first and then asks; when they cannot
// be kept it rejects, and nothing has changed.

export interface NewQuestion {
  conversationId: string | null; // null: a new one
  parentId: string | null; // the answer before; null: the first question
  text: string;
  pictures: readonly PictureRecord[];
  ocr: boolean;
  fallbackTitle: string;
}

// Sends a question; returns its conversation. Rejects when it cannot be kept.
export async function sendQuestion(question: NewQuestion): Promise<string> {
  const text = question.text.trim();
  const begun = question.conversationId === null ? newConversation(titleOf(text) || question.fallbackTitle) : undefined;
  const conversationId = begun?.id ?? question.conversationId ?? '';
  const message = userMessage(conversationId, question.parentId, text, question.pictures.map(({ id }) => id), question.ocr);
  await askAfter(message, begun);
  return conversationId;
}

// Asks an edited question: a new version beside the old one.
export async function resendQuestion(old: MessageRecord, text: string): Promise<void> {
  await askAfter(userMessage(old.conversationId, old.parentId, text.trim(), old.pictureIds, old.ocr));
}

// Asks for another version of an answer.
export async function regenerate(answer: MessageRecord): Promise<void> {
  const path = await questionPath(answer);
  const again = emptyAnswer(answer.conversationId, answer.parentId);
  await addMessages(answer.conversationId, [again]);
  void runAnswer(again, path);
}

// Asks again for an answer that failed: in its place while it has no text, otherwise as a new version.
export async function retryAnswer(answer: MessageRecord): Promise<void> {
  if (answer.text) return regenerate(answer);
  const path = await questionPath(answer);
  const again = { ...answer, answer: emptyAnswer('', null).answer };
  await updateMessage(answer.id, { answer: again.answer });
  void runAnswer(again, path);
}

// Goes on with an answer that was cut, stopped or interrupted.
export async function continueAnswer(answer: MessageRecord): Promise<void> {
  const path = await questionPath(answer);
  void runAnswer(answer, [...path, answer]);
}

export async function chooseVersion(message: MessageRecord, id: string): Promise<void> {
  await showVersion(message.conversationId, message.parentId, id);
}

async function askAfter(question: MessageRecord, begun?: ConversationRecord): Promise<void> {
  const path = begun ? [question] : [...(await questionPath(question)), question];
  const answer = { ...emptyAnswer(question.conversationId, question.id), createdAt: question.createdAt + 1 };
  await addMessages(question.conversationId, [question, answer], begun);
  void runAnswer(answer, path);
}

// The messages that lead to this one: those of an answer end with its question.
async function questionPath(message: MessageRecord): Promise<MessageRecord[]> {
  const database = await openDatabase();
  const messages = await database.messages.where('conversationId').equals(message.conversationId).toArray();
  return pathTo(messages, message.parentId);
}

function userMessage(conversationId: string, parentId: string | null, text: string, pictureIds: string[], ocr: boolean): MessageRecord {
  return { id: newId(), conversationId, parentId, role: 'user', text, pictureIds, ocr, createdAt: Date.now() };
}

function emptyAnswer(conversationId: string, parentId: string | null): MessageRecord {
  const now = Date.now();
  return { id: newId(), conversationId, parentId, role: 'assistant', text: '', pictureIds: [], ocr: false, createdAt: now, answer: { state: 'writing', model: '', writer: TAB, savedAt: now } };
}
