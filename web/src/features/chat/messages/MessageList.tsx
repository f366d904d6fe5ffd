import { ActionIcon } from '@mantine/core';
import { IconArrowDown } from '@/lib/icons';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PictureUse } from '@/lib/db';
import type { ShownMessage } from '@/features/history';
import { Announcer } from './Announcer';
import { AssistantMessage } from './AssistantMessage';
import { UserMessage } from './UserMessage';
import classes from './messages.module.css';

// The shown path of a conversation. It follows the answer while its end is in view.
export function MessageList({ path, conversationId }: { path: readonly ShownMessage[]; conversationId: string }) {
  const { t } = useTranslation();
  const { scroller, content, pinned, toEnd } = useFollow(conversationId, path.length);
  return (
    <div className={classes.scroller} ref={scroller}>
      <div className={classes.content} ref={content}>
        {path.map((shown, index) => {
          const { message } = shown;
          if (message.role === 'user') return <UserMessage key={message.id} shown={shown} uses={path[index + 1]?.message.answer?.usage?.pictures.slice(picturesBefore(path, index)) ?? []} />;
          return <AssistantMessage key={message.id} shown={shown} question={path[index - 1]?.message} {...picturesOf(path, index)} last={index === path.length - 1} />;
        })}
      </div>
      <Announcer answer={path.at(-1)?.message} />
      {!pinned && (
        <ActionIcon className={classes.toEnd} variant="default" radius="xl" size={38} aria-label={t('message.toEnd')} onClick={toEnd}>
          <IconArrowDown size={19} aria-hidden />
        </ActionIcon>
      )}
    </div>
  );
}

// Usage lists the pictures of the whole conversation in order.
function picturesBefore(path: readonly ShownMessage[], index: number): number {
  return path.slice(0, index).reduce((sum, { message }) => sum + message.pictureIds.length, 0);
}

const NONE: readonly string[] = [];

// The pictures an answer is about: those of the latest question that had some.
function picturesOf(path: readonly ShownMessage[], index: number): { pictureIds: readonly string[]; uses: readonly PictureUse[] } {
  const at = path.slice(0, index).findLastIndex(({ message }) => message.pictureIds.length > 0);
  const pictureIds = path[at]?.message.pictureIds ?? NONE;
  const before = picturesBefore(path, Math.max(0, at));
  return { pictureIds, uses: path[index]?.message.answer?.usage?.pictures.slice(before, before + pictureIds.length) ?? [] };
}

const NEAR_PX = 80;

function useFollow(conversationId: string, length: number) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [pinned, setPinned] = useState(true);
  const follow = useRef(true);
  // The scroll event that follows tells whether the end is in view.
  const toEnd = () => {
    follow.current = true;
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  };
  // A new question, or another conversation, starts at its end.
  useEffect(toEnd, [conversationId, length]);
  useEffect(() => {
    const element = scroller.current;
    if (!element || !content.current) return undefined;
    const scrolled = () => {
      follow.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
      setPinned(follow.current);
    };
    const grown = new ResizeObserver(() => {
      if (follow.current) element.scrollTop = element.scrollHeight;
    });
    element.addEventListener('scroll', scrolled, { passive: true });
    grown.observe(content.current);
    return () => {
      element.removeEventListener('scroll', scrolled);
      grown.disconnect();
    };
  }, []);
  return { scroller, content, pinned, toEnd };
}
