import { useSyncExternalStore } from 'react';

// Which conversation is shown stands after the '#', so that reload, back and bookmarks work and the
// server never sees it.

export function conversationOf(hash: string): string | null {
  return /^#\/c\/([a-z0-9]{8,64})$/.exec(hash)?.[1] ?? null;
}

export function useConversationId(): [string | null, (id: string | null) => void] {
  const hash = useSyncExternalStore(
    (changed) => {
      window.addEventListener('hashchange', changed);
      return () => window.removeEventListener('hashchange', changed);
    },
    () => location.hash,
  );
  return [conversationOf(hash), go];
}

function go(id: string | null): void {
  location.hash = id === null ? '' : `/c/${id}`;
}
