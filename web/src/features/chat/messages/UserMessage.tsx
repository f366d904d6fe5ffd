import { Button, Textarea } from '@mantine/core';
import { IconPencil, IconScan } from '@/lib/icons';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PictureUse } from '@/lib/db';
import { attempt } from '@/lib/trouble';
import type { ShownMessage } from '@/features/history';
import { MessagePictures, PictureViewer, usePictures } from '@/features/pictures';
import { resendQuestion } from '../actions';
import { CopyTool, ToolButton } from './ToolButton';
import { Versions } from './Versions';
import classes from './messages.module.css';

// A question with its pictures; it can be edited and asked again.
export function UserMessage({ shown, uses }: { shown: ShownMessage; uses: readonly PictureUse[] }) {
  const { t } = useTranslation();
  const { message } = shown;
  const pictures = usePictures(message.pictureIds);
  const [enlarged, setEnlarged] = useState<number | null>(null);
  const [editing, setEditing] = useState(false);
  const sending = useRef(false);
  const resend = async (text: string) => {
    if (sending.current) return;
    sending.current = true;
    if (await attempt(() => resendQuestion(message, text))) setEditing(false); // otherwise the words stay
    sending.current = false;
  };
  const there = pictures?.filter((picture) => picture !== null) ?? [];
  return (
    <article className={classes.user} aria-label={t('message.yours')}>
      {pictures && pictures.length > 0 && (
        <MessagePictures pictures={pictures} uses={uses} onOpen={(index) => setEnlarged(there.findIndex(({ id }) => id === message.pictureIds[index]))} />
      )}
      {editing ? (
        <Editor text={message.text} onCancel={() => setEditing(false)} onSend={(text) => void resend(text)} />
      ) : (
        <>
          {(message.text || message.ocr) && (
            <div className={classes.bubble}>
              {message.ocr && (
                <span className={classes.ocrMark}>
                  <IconScan size={15} aria-hidden /> {t('ocr.switch')}
                </span>
              )}
              {message.text}
            </div>
          )}
          <div className={classes.tools} data-own>
            <Versions shown={shown} />
            {message.text && <CopyTool text={message.text} />}
            <ToolButton label={t('message.edit')} onClick={() => setEditing(true)}>
              <IconPencil size={17} aria-hidden />
            </ToolButton>
          </div>
        </>
      )}
      <PictureViewer pictures={there} index={enlarged} onIndex={setEnlarged} />
    </article>
  );
}

function Editor({ text, onCancel, onSend }: { text: string; onCancel: () => void; onSend: (text: string) => void }) {
  const { t } = useTranslation();
  const [edited, setEdited] = useState(text);
  const input = useRef<HTMLTextAreaElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <div className={classes.editor}>
      <Textarea
        ref={input}
        autosize
        minRows={2}
        maxRows={12}
        aria-label={t('message.editLabel')}
        value={edited}
        onChange={(event) => setEdited(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onCancel();
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSend(edited);
        }}
      />
      <div className={classes.editorTools}>
        <Button size="compact-md" variant="subtle" color="gray" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button size="compact-md" onClick={() => onSend(edited)}>
          {t('message.resend')}
        </Button>
      </div>
    </div>
  );
}
