import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConversationRecord } from '@/lib/db';
import { attempt } from '@/lib/trouble';
import { deleteConversation } from './store';
import classes from './history.module.css';

const UNDO_MS = 10_000;

export interface Deletion {
  title: string | null; // of what was just deleted; null: nothing to bring back
  remove: (conversation: ConversationRecord) => void;
  undo: () => void;
}

// Deletes at once and can bring the last one back for a while.
export function useDeletion(onDeleted: (id: string) => void): Deletion {
  const [last, setLast] = useState<{ title: string; restore: () => Promise<void> } | null>(null);
  useEffect(() => {
    if (!last) return undefined;
    const timer = setTimeout(() => setLast(null), UNDO_MS);
    return () => clearTimeout(timer);
  }, [last]);
  return {
    title: last?.title ?? null,
    remove: (conversation) => {
      void attempt(async () => {
        const restore = await deleteConversation(conversation.id);
        setLast({ title: conversation.title, restore });
        onDeleted(conversation.id);
      });
    },
    undo: () => {
      void attempt(async () => {
        await last?.restore();
        setLast(null);
      });
    },
  };
}

export function UndoBar({ deletion }: { deletion: Deletion }) {
  const { t } = useTranslation();
  return (
    <div role="status">
      {deletion.title !== null && (
        <div className={classes.undo}>
          <span>{t('history.deleted', { title: deletion.title || t('history.untitled') })}</span>
          <Button size="compact-sm" variant="subtle" onClick={deletion.undo}>
            {t('history.undo')}
          </Button>
        </div>
      )}
    </div>
  );
}
