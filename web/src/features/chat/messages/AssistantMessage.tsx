import { Button } from '@mantine/core';
import { IconPlayerTrackNext, IconRefresh } from '@/lib/icons';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Markdown } from '@/lib/markdown';
import { attempt } from '@/lib/trouble';
import type { AnswerRecord, MessageRecord, PictureRecord, PictureUse } from '@/lib/db';
import { BoxesView, parseMarks } from '@/features/boxes';
import type { ShownMessage } from '@/features/history';
import { OcrResultView } from '@/features/ocr';
import { usePictures } from '@/features/pictures';
import { continueAnswer, regenerate, retryAnswer } from '../actions';
import type { LiveAnswer } from '../answer/live';
import { useLive } from '../answer/run';
import { AnswerFacts } from './AnswerFacts';
import { ErrorCard } from './ErrorCard';
import { AnswerProgress } from './Progress';
import { CopyTool, ToolButton } from './ToolButton';
import { Versions } from './Versions';
import classes from './messages.module.css';

export interface AssistantMessageProps {
  shown: ShownMessage;
  question: MessageRecord | undefined; // what it answers
  pictureIds: readonly string[]; // that it is about: of the question, or of the last one that had some
  uses: readonly PictureUse[]; // of these pictures
  last: boolean;
}

// An answer: under way, complete, cut, stopped or failed.
export function AssistantMessage({ shown, question, pictureIds, uses, last }: AssistantMessageProps) {
  const { t } = useTranslation();
  const { message } = shown;
  const live = useLive(({ answers }) => answers[message.id]);
  const pictures = usePictures(pictureIds);
  const there = useMemo(() => pictures?.filter((picture) => picture !== null) ?? [], [pictures]);
  const running = live !== undefined && live.phase !== 'ended';
  const text = live?.text ?? message.text;
  const { answer } = message;
  return (
    <article className={classes.assistant} aria-label={t('message.answer')} aria-busy={running}>
      <Body message={message} text={text} ocr={question?.ocr ?? false} pictures={there} uses={uses} running={running} live={live} />
      {running && <AnswerProgress id={message.id} live={live} />}
      {!running && answer && <Ending answer={answer} message={message} last={last} text={text} />}
      {!running && (
        <div className={classes.tools}>
          <Versions shown={shown} />
          {text && <CopyTool text={text} />}
          <ToolButton label={t('answer.regenerate')} onClick={() => void attempt(() => regenerate(message))}>
            <IconRefresh size={17} aria-hidden />
          </ToolButton>
          {answer && <AnswerFacts answer={answer} />}
        </div>
      )}
    </article>
  );
}

interface BodyProps {
  message: MessageRecord;
  text: string;
  ocr: boolean;
  pictures: readonly PictureRecord[];
  uses: readonly PictureUse[];
  running: boolean;
  live: LiveAnswer | undefined;
}

function Body({ message, text, ocr, pictures, uses, running, live }: BodyProps) {
  const marks = useMemo(() => (running ? [] : parseMarks(text)), [running, text]);
  if (!text) return null;
  const words = ocr ? <>{text}</> : <Markdown text={text} />;
  return (
    <div className={classes.answer} data-writing={(running && live?.phase === 'writing') || undefined}>
      {ocr && pictures.length > 0 ? (
        <OcrResultView result={{ text, model: message.answer?.model ?? '', createdAt: message.createdAt, complete: message.answer?.state === 'done', pictures, uses }}>{words}</OcrResultView>
      ) : (
        words
      )}
      {marks.length > 0 && pictures.length > 0 && <BoxesView marks={marks} pictures={pictures} uses={uses} />}
    </div>
  );
}

// What is to be said and done at the end of an answer that did not simply end.
function Ending({ answer, message, last, text }: { answer: AnswerRecord; message: MessageRecord; last: boolean; text: string }) {
  const { t } = useTranslation();
  const goOn = last && text !== '' && ['length', 'stopped', 'interrupted'].includes(answer.state);
  const retry = () => void attempt(() => retryAnswer(message));
  return (
    <>
      {answer.error && <ErrorCard error={answer.error} partial={text !== ''} onRetry={retry} />}
      {!answer.error && answer.state !== 'done' && answer.state !== 'writing' && (
        <p className={classes.state}>{t(text ? `answer.states.${answer.state}` : `answer.statesEmpty.${answer.state}`)}</p>
      )}
      {answer.state === 'writing' && <p className={classes.state}>{t('answer.elsewhere')}</p>}
      {answer.state === 'done' && text === '' && <p className={classes.state}>{t('answer.empty')}</p>}
      {goOn && (
        <Button className={classes.goOn} size="compact-sm" variant="light" leftSection={<IconPlayerTrackNext size={15} aria-hidden />} onClick={() => void attempt(() => continueAnswer(message))}>
          {t('answer.continue')}
        </Button>
      )}
    </>
  );
}
