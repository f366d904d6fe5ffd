import { lazy, Suspense, useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { CloseButton } from '@mantine/core';
import { useLiveQuery } from '@/lib/db';
import { patiently } from '@/lib/patiently';
import { attempt, clearTrouble, useTrouble } from '@/lib/trouble';
import { shownPath } from '@/features/history';
import { sendQuestion } from './actions';
import { stopAnswer, useLive } from './answer/run';
import { Composer } from './composer/Composer';
import { clearComposer, keepDraft, NEW, openDraft, readingDone, useComposer } from './composer/store';
import { MessageList } from './messages/MessageList';
import { Welcome } from './Welcome';
import classes from './chat.module.css';

// The drop area brings a library with it; nobody drops anything before the first paint.
const DropArea = lazy(() => patiently(() => import('./DropArea')).then(({ DropArea: component }) => ({ default: component })));

export interface ChatViewProps {
  conversationId: string | null; // null: a new one
  onConversation: (id: string) => void;
}

// One conversation and the place to write in.
export function ChatView({ conversationId, onConversation }: ChatViewProps) {
  const { t } = useTranslation();
  const input = useRef<HTMLTextAreaElement>(null);
  const openChooser = useRef<(() => void) | null>(null);
  const conversation = useConversation(conversationId);
  const path = useMemo(() => (conversation ? shownPath(conversation.messages, conversation.shown) : []), [conversation]);
  const answer = path.at(-1)?.message;
  const writing = useLive(({ answers }) => answer !== undefined && answers[answer.id] !== undefined && answers[answer.id]?.phase !== 'ended');
  useDraft(conversationId);
  useFocusOnOpen(conversationId, input);

  const sending = useRef(false);
  const send = async (text: string) => {
    if (sending.current) return; // a second Enter is no second question
    sending.current = true;
    try {
      await attempt(() => ask(text));
    } finally {
      sending.current = false;
    }
  };
  const ask = async (text: string) => {
    await readingDone();
    const { pictures, ocr: switched } = useComposer.getState();
    const ocr = switched && pictures.length > 0; // a question without pictures is a question
    const question = { conversationId, parentId: answer?.id ?? null, text, pictures, ocr, fallbackTitle: t(ocr ? 'history.ocrTitle' : 'history.pictureTitle', { name: pictures[0]?.name ?? '' }) };
    const id = await sendQuestion(question);
    clearTrouble();
    clearComposer();
    await keepDraft();
    if (id !== conversationId) onConversation(id);
  };

  return (
    <div className={classes.chat}>
      <TroubleNotice />
      {conversationId === null || (conversation && path.length === 0) ? (
        <div className={classes.welcomeScroller}>
          <Welcome onSend={(text) => void send(text)} onChoose={() => openChooser.current?.()} focusInput={() => input.current?.focus()} />
        </div>
      ) : (
        <MessageList path={path} conversationId={conversationId} />
      )}
      <div className={classes.foot}>
        <Composer input={input} writing={writing} onSend={(text) => void send(text)} onStop={() => answer && stopAnswer(answer.id)} />
        <p className={classes.note}>{t('composer.note')}</p>
      </div>
      <Suspense>
        <DropArea openRef={openChooser} />
      </Suspense>
    </div>
  );
}

function useConversation(id: string | null) {
  return useLiveQuery(
    async (database) => {
      if (id === null) return null;
      const [conversation, messages] = await Promise.all([database.conversations.get(id), database.messages.where('conversationId').equals(id).toArray()]);
      return { shown: conversation?.shown ?? {}, messages };
    },
    [id],
  );
}

function useDraft(conversationId: string | null): void {
  useEffect(() => {
    void openDraft(conversationId ?? NEW);
    const keep = () => void keepDraft();
    window.addEventListener('pagehide', keep);
    return () => {
      window.removeEventListener('pagehide', keep);
      keep();
    };
  }, [conversationId]);
}

// With a keyboard at hand one wants to type at once; on a phone a keyboard would cover the page.
function useFocusOnOpen(conversationId: string | null, input: React.RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    if (matchMedia('(hover: hover)').matches) input.current?.focus();
  }, [conversationId, input]);
}

function TroubleNotice() {
  const { t } = useTranslation();
  const trouble = useTrouble((state) => state.trouble);
  return (
    <div role="alert">
      {trouble && (
        <p className={classes.storage}>
          <span>{t(`errors.trouble.${trouble}`)}</span>
          <CloseButton size="sm" aria-label={t('common.dismiss')} onClick={clearTrouble} />
        </p>
      )}
    </div>
  );
}
