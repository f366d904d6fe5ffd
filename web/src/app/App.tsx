import { ActionIcon, Button, Drawer, Tooltip } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconLayoutSidebar, IconMenu2, IconMessagePlus, IconSettings } from '@/lib/icons';
import { lazy, Suspense, useMemo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ChatView, useLive } from '@/features/chat';
import { HistoryList } from '@/features/history';
import { ServerNotice, StatusCorner, useServerPolling, useSpeeds, useStatus } from '@/features/status';
import { patiently } from '@/lib/patiently';
import { useConversationId } from './location';
import classes from './app.module.css';

const SettingsDialog = lazy(() => patiently(() => import('@/features/settings')).then((settings) => ({ default: settings.SettingsDialog })));

// The page: history at the side, a conversation in the middle, the server's state in the corner.
export function App() {
  const { t } = useTranslation();
  const [conversationId, open] = useConversationId();
  const [settingsOpen, settings] = useDisclosure(false);
  const wide = useMediaQuery('(min-width: 900px)', true, { getInitialValueInEffect: false }) ?? true;
  const [sideShown, side] = useDisclosure(true); // on a wide screen
  const [drawerShown, drawer] = useDisclosure(false); // on a small one
  const running = useRunning();
  useServerPolling();
  const go = (id: string | null) => {
    open(id);
    drawer.close();
  };
  const history = <Side onNew={() => go(null)} list={<HistoryList current={conversationId} running={running} onOpen={go} />} />;
  return (
    <div className={classes.app}>
      <a className="skip" href="#question" onClick={skipToQuestion}>
        {t('app.skip')}
      </a>
      {wide && sideShown && <aside className={classes.side} aria-label={t('history.title')}>{history}</aside>}
      {!wide && (
        <Drawer opened={drawerShown} onClose={drawer.close} size={310} padding={0} title={t('history.title')} closeButtonProps={{ 'aria-label': t('common.close') }} classNames={{ body: classes.drawer, content: classes.drawerContent, header: classes.drawerHeader }}>
          {history}
        </Drawer>
      )}
      <div className={classes.main}>
        <header className={classes.top}>
          <Tooltip label={t('app.history')}>
            <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('app.history')} aria-expanded={wide ? sideShown : drawerShown} onClick={wide ? side.toggle : drawer.toggle}>
              {wide ? <IconLayoutSidebar size={20} aria-hidden /> : <IconMenu2 size={20} aria-hidden />}
            </ActionIcon>
          </Tooltip>
          <span className={classes.name}>Ocelli</span>
          <span className={classes.gap} />
          <StatusCorner writing={running.size > 0} />
          <Tooltip label={t('app.new')}>
            <ActionIcon className={classes.topNew} variant="subtle" color="gray" size="lg" aria-label={t('app.new')} onClick={() => go(null)}>
              <IconMessagePlus size={20} aria-hidden />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={t('settings.title')}>
            <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('settings.title')} onClick={settings.open}>
              <IconSettings size={20} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </header>
        <main className={classes.body}>
          <ServerNotice onOpenSettings={settings.open} />
          <ChatView conversationId={conversationId} onConversation={go} />
        </main>
      </div>
      <Settings opened={settingsOpen} onClose={settings.close} />
    </div>
  );
}

function Side({ onNew, list }: { onNew: () => void; list: ReactNode }) {
  const { t } = useTranslation();
  return (
    <>
      <div className={classes.brand}>
        <img src="./favicon.svg" alt="" width={28} height={28} />
        <span>
          <strong>Ocelli</strong>
          <small>{t('app.subtitle')}</small>
        </span>
      </div>
      <Button className={classes.new} variant="default" leftSection={<IconMessagePlus size={17} aria-hidden />} onClick={onNew}>
        {t('app.new')}
      </Button>
      {list}
    </>
  );
}

function Settings({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { facts, keyAsked } = useStatus();
  const msPerToken = useSpeeds((speeds) => speeds.picture);
  const { tokenSide, maxPixels, defaultTokens } = facts.pictures;
  const tokenPixels = tokenSide === null ? null : tokenSide ** 2;
  const maxTokens = tokenPixels === null || maxPixels === null ? null : Math.floor(maxPixels / tokenPixels);
  return (
    <Suspense>
      <SettingsDialog opened={opened} onClose={onClose} defaults={facts.defaults} keyAsked={keyAsked} budget={{ defaultTokens, maxTokens, tokenPixels, msPerToken }} />
    </Suspense>
  );
}

// Conversations with an answer under way.
function useRunning(): ReadonlySet<string> {
  const answers = useLive((state) => state.answers);
  const conversations = useLive((state) => state.conversations);
  const ids = Object.keys(answers).flatMap((id) => (answers[id]?.phase !== 'ended' && conversations[id] ? [conversations[id]] : []));
  const key = ids.sort().join(' ');
  return useMemo(() => new Set(key ? key.split(' ') : []), [key]);
}

function skipToQuestion(event: React.MouseEvent): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('main textarea')?.focus();
}
