import { ROOT, type MessageRecord } from '@/lib/db';

// A conversation is a tree: editing a question or asking again adds a sibling. What is shown is one
// path through it.

export interface ShownMessage {
  message: MessageRecord;
  versions: readonly string[]; // ids of it and its siblings, oldest first
}

// The shown path, from the first message to the last. `shown` names the chosen child of a message;
// without a choice it is the newest.
export function shownPath(messages: readonly MessageRecord[], shown: Readonly<Record<string, string>>): ShownMessage[] {
  const children = new Map<string, MessageRecord[]>();
  for (const message of messages) {
    const key = message.parentId ?? ROOT;
    children.set(key, [...(children.get(key) ?? []), message]);
  }
  const path: ShownMessage[] = [];
  const seen = new Set<string>(); // a damaged import may go in circles
  let key = ROOT;
  for (;;) {
    const siblings = (children.get(key) ?? []).sort(byAge);
    const message = siblings.find((sibling) => sibling.id === shown[key]) ?? siblings.at(-1);
    if (!message || seen.has(message.id)) return path;
    seen.add(message.id);
    path.push({ message, versions: siblings.map((sibling) => sibling.id) });
    key = message.id;
  }
}

// The messages from the first down to `id`, which is the last; what a question is asked after.
export function pathTo(messages: readonly MessageRecord[], id: string | null): MessageRecord[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const path: MessageRecord[] = [];
  for (let message = id === null ? undefined : byId.get(id); message; ) {
    path.unshift(message);
    byId.delete(message.id);
    message = message.parentId === null ? undefined : byId.get(message.parentId);
  }
  return path;
}

function byAge(a: MessageRecord, b: MessageRecord): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}
