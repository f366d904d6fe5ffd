import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { AnswerRecord } from '@/lib/db';
import { formatCount, formatDuration, formatRate } from '@/lib/format';
import classes from './messages.module.css';

// The figures of an answer that has ended.
export function AnswerFacts({ answer }: { answer: AnswerRecord }) {
  const { t, i18n } = useTranslation();
  const facts = list(answer, t, i18n.language);
  if (facts.length === 0) return null;
  return (
    <ul className={classes.facts} aria-label={t('answer.facts.title')}>
      {facts.map((fact) => (
        <li key={fact}>{fact}</li>
      ))}
    </ul>
  );
}

function list({ usage, times, tokensPerSecond }: AnswerRecord, t: TFunction, language: string): string[] {
  const count = (value: number) => formatCount(value, language);
  const facts: string[] = [];
  if (times) facts.push(t('answer.facts.time', { time: formatDuration(times.total, language) }));
  if (tokensPerSecond) facts.push(t('status.tokensPerSecond', { rate: formatRate(tokensPerSecond, language) }));
  if (usage?.completionTokens) facts.push(t('answer.facts.written', { tokens: count(usage.completionTokens) }));
  if (usage?.imageTokens) facts.push(t('answer.facts.image', { tokens: count(usage.imageTokens) }));
  if (usage?.cachedTokens) facts.push(t('answer.facts.cached', { tokens: count(usage.cachedTokens), total: count(usage.promptTokens) }));
  return facts;
}
