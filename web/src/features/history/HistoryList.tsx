import { ActionIcon, Menu, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconDots, IconPencil, IconSearch, IconTrash, IconX } from '@/lib/icons';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLiveQuery, type ConversationRecord } from '@/lib/db';
import { attempt } from '@/lib/trouble';
import { GROUPS, groupOf } from './groups';
import { renameConversation, searchConversations } from './store';
import { Transfer } from './Transfer';
import { UndoBar, useDeletion } from './UndoBar';
import classes from './history.module.css';

export interface HistoryListProps {
  current: string | null;
  running: ReadonlySet<string>; // conversations with an answer being written
  onOpen: (id: string | null) => void;
}

// The conversations of this browser: find, open, rename, delete, export and import.
export function HistoryList({ current, running, onOpen }: HistoryListProps) {
  const { t } = useTranslation();
  const [query, setQuery] = useState('');
  const [settled] = useDebouncedValue(query.trim(), 150);
  const conversations = useLiveQuery((database) => database.conversations.orderBy('updatedAt').reverse().toArray(), []);
  const found = useLiveQuery(async (database) => (settled ? searchConversations(database, settled) : null), [settled]);
  const deletion = useDeletion((id) => id === current && onOpen(null));
  const listed = conversations?.filter(({ id }) => !found || found.has(id)) ?? [];
  return (
    <div className={classes.history}>
      <TextInput
        className={classes.search}
        type="search"
        aria-label={t('history.search')}
        placeholder={t('history.search')}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
        rightSection={
          query && (
            <ActionIcon size="sm" variant="subtle" color="gray" aria-label={t('history.clearSearch')} onClick={() => setQuery('')}>
              <IconX size={14} aria-hidden />
            </ActionIcon>
          )
        }
      />
      <nav className={classes.list} aria-label={t('history.title')}>
        {GROUPS.map((group) => (
          <HistoryGroup key={group} title={t(`history.groups.${group}`)} items={listed.filter(({ updatedAt }) => groupOf(updatedAt, Date.now()) === group)} {...{ current, running, onOpen }} onDelete={deletion.remove} />
        ))}
        {conversations && listed.length === 0 && <p className={classes.empty}>{t(settled ? 'history.nothingFound' : 'history.empty')}</p>}
      </nav>
      <UndoBar deletion={deletion} />
      <Transfer disabled={conversations?.length === 0} />
    </div>
  );
}

type GroupProps = HistoryListProps & { title: string; items: readonly ConversationRecord[]; onDelete: (conversation: ConversationRecord) => void };

function HistoryGroup({ title, items, ...rest }: GroupProps) {
  if (items.length === 0) return null;
  return (
    <>
      <h3 className={classes.group}>{title}</h3>
      <ul className={classes.items}>
        {items.map((conversation) => (
          <HistoryItem key={conversation.id} conversation={conversation} {...rest} />
        ))}
      </ul>
    </>
  );
}

function HistoryItem({ conversation, current, running, onOpen, onDelete }: Omit<GroupProps, 'title' | 'items'> & { conversation: ConversationRecord }) {
  const { t } = useTranslation();
  const [renaming, setRenaming] = useState(false);
  const title = conversation.title || t('history.untitled');
  const isCurrent = conversation.id === current;
  if (renaming) return <Rename conversation={conversation} onDone={() => setRenaming(false)} />;
  return (
    <li className={classes.item} data-current={isCurrent || undefined}>
      <UnstyledButton className={classes.open} aria-current={isCurrent ? 'page' : undefined} onClick={() => onOpen(conversation.id)}>
        {running.has(conversation.id) && <span className={classes.writing} role="img" aria-label={t('history.writing')} />}
        <span className={classes.title}>{title}</span>
      </UnstyledButton>
      <Menu position="bottom-end" shadow="md" radius="md">
        <Menu.Target>
          <ActionIcon className={classes.more} variant="subtle" color="gray" size="md" aria-label={t('history.more', { title })}>
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={15} aria-hidden />} onClick={() => setRenaming(true)}>
            {t('history.rename')}
          </Menu.Item>
          <Menu.Item color="red" leftSection={<IconTrash size={15} aria-hidden />} onClick={() => onDelete(conversation)}>
            {t('history.delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </li>
  );
}

function Rename({ conversation, onDone }: { conversation: ConversationRecord; onDone: () => void }) {
  const { t } = useTranslation();
  const [title, setTitle] = useState(conversation.title);
  const save = () => {
    if (title.trim() && title.trim() !== conversation.title) void attempt(() => renameConversation(conversation.id, title));
    onDone();
  };
  return (
    <li>
      <TextInput
        size="sm"
        aria-label={t('history.newTitle')}
        value={title}
        data-autofocus
        data-mantine-stop-propagation // Escape ends the renaming, not the whole drawer
        ref={(input) => input?.focus()}
        onChange={(event) => setTitle(event.currentTarget.value)}
        onBlur={save}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Enter') save();
          if (event.key === 'Escape') onDone();
        }}
      />
    </li>
  );
}
