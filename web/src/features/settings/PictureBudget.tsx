import { Radio } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatCount, formatDuration } from '@/lib/format';
import { changeSettings, useSettings } from './store';
import classes from './settings.module.css';

export interface BudgetFacts {
  defaultTokens: number | null; // what the server takes when nothing is said
  maxTokens: number | null; // of the model
  tokenPixels: number | null; // pixels that one image token covers
  msPerToken: number | null; // reading a picture, as measured here; null before the first answer
}

const STEPS = [256, 512, 1024, 2048, 4096] as const;

// How large a picture may become for the model, with what that costs in time.
export function PictureBudget({ facts }: { facts: BudgetFacts }) {
  const { t } = useTranslation();
  const chosen = useSettings((settings) => settings.pictureTokens);
  const steps = STEPS.filter((step) => facts.maxTokens === null || step <= facts.maxTokens);
  return (
    <Radio.Group
      aria-label={t('settings.pictures')}
      value={chosen === null ? 'default' : String(chosen)}
      onChange={(value) => changeSettings({ pictureTokens: value === 'default' ? null : Number(value) })}
    >
      <div className={classes.budgets}>
        <Budget value="default" title={t('settings.budgetDefault')} tokens={facts.defaultTokens} facts={facts} />
        {steps.map((step) => (
          <Budget key={step} value={String(step)} title={t(`settings.budgets.${step}`)} tokens={step} facts={facts} />
        ))}
      </div>
    </Radio.Group>
  );
}

function Budget({ value, title, tokens, facts }: { value: string; title: string; tokens: number | null; facts: BudgetFacts }) {
  const { t, i18n } = useTranslation();
  return (
    <Radio.Card value={value} className={classes.budget}>
      <span className={classes.budgetMark}>
        <Radio.Indicator size="xs" />
        <span className={classes.budgetTitle}>{title}</span>
      </span>
      <span className={classes.budgetDetail}>{describe()}</span>
    </Radio.Card>
  );

  function describe(): string {
    if (tokens === null) return t('settings.budgetUnknown');
    const parts = [t('settings.budgetTokens', { tokens: formatCount(tokens, i18n.language) })];
    if (facts.tokenPixels !== null) {
      parts.push(t('settings.budgetSide', { side: Math.round(Math.sqrt(tokens * facts.tokenPixels)) }));
    }
    if (facts.msPerToken !== null) {
      parts.push(t('settings.budgetTime', { time: formatDuration(tokens * facts.msPerToken, i18n.language) }));
    }
    return parts.join(' · ');
  }
}
