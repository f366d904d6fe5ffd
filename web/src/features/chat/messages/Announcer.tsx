import { VisuallyHidden } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { MessageRecord } from '@/lib/db';
import { useLive } from '../answer/run';

// Tells a screen reader how the last answer goes: each phase once, and the end. The text itself is
// there to be read; spoken piece by piece it could not be followed.
export function Announcer({ answer }: { answer: MessageRecord | undefined }) {
  const { t } = useTranslation();
  const phase = useLive(({ answers }) => (answer ? answers[answer.id]?.phase : undefined));
  const state = answer?.answer?.state;
  const words = phase && phase !== 'ended' ? t(`answer.phases.${phase}`) : state && state !== 'writing' ? t(`answer.states.${state}`) : '';
  return (
    <VisuallyHidden role="status" aria-live="polite">
      {words}
    </VisuallyHidden>
  );
}
