import { ActionIcon, Button, Group, Modal, NumberInput, PasswordInput, SegmentedControl, Stack, Text, Textarea, Tooltip } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconRestore } from '@/lib/icons';
import { useId, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { PictureBudget, type BudgetFacts } from './PictureBudget';
import { cleanSampling, SAMPLING_FIELDS, type Sampling, type SamplingField } from './sampling';
import { changeSettings, useSettings, type Theme } from './store';
import classes from './settings.module.css';

export interface SettingsDialogProps {
  opened: boolean;
  onClose: () => void;
  defaults: Partial<Sampling>; // the server's
  budget: BudgetFacts;
  keyAsked: boolean; // the server asks for a key
}

// Everything that can be set. Changes hold at once and are kept in this browser.
export function SettingsDialog({ opened, onClose, defaults, budget, keyAsked }: SettingsDialogProps) {
  const { t } = useTranslation();
  const small = useMediaQuery('(max-width: 600px)');
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('settings.title')}
      size={640}
      fullScreen={small ?? false}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      classNames={{ title: classes.dialogTitle }}
    >
      <Stack gap={32} pb="md">
        <Appearance />
        <Pictures facts={budget} />
        <SystemPrompt />
        <SamplingSection defaults={defaults} />
        <Access keyAsked={keyAsked} />
      </Stack>
    </Modal>
  );
}

function Section({ title, hint, action, children }: { title: string; hint?: string; action?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Group justify="space-between" mb={hint ? 2 : 10} wrap="nowrap">
        <h3 id={id} className={classes.heading}>
          {title}
        </h3>
        {action}
      </Group>
      {hint && (
        <Text size="sm" c="dimmed" mb={12}>
          {hint}
        </Text>
      )}
      {children}
    </section>
  );
}

function Appearance() {
  const { t, i18n } = useTranslation();
  const theme = useSettings((settings) => settings.theme);
  return (
    <Section title={t('settings.appearance')}>
      <div className={classes.row}>
        <Text size="sm">{t('settings.language')}</Text>
        <SegmentedControl
          aria-label={t('settings.language')}
          value={i18n.language}
          onChange={(value) => changeSettings({ language: value as 'zh-CN' | 'en' })}
          data={[
            { value: 'zh-CN', label: '简体中文' },
            { value: 'en', label: 'English' },
          ]}
        />
      </div>
      <div className={classes.row}>
        <Text size="sm">{t('settings.theme')}</Text>
        <SegmentedControl
          aria-label={t('settings.theme')}
          value={theme}
          onChange={(value) => changeSettings({ theme: value as Theme })}
          data={(['auto', 'light', 'dark'] as const).map((value) => ({ value, label: t(`settings.themes.${value}`) }))}
        />
      </div>
    </Section>
  );
}

function Pictures({ facts }: { facts: BudgetFacts }) {
  const { t } = useTranslation();
  return (
    <Section title={t('settings.pictures')} hint={t('settings.picturesHint')}>
      <PictureBudget facts={facts} />
    </Section>
  );
}

function SystemPrompt() {
  const { t } = useTranslation();
  const systemPrompt = useSettings((settings) => settings.systemPrompt);
  return (
    <Section title={t('settings.systemPrompt')} hint={t('settings.systemPromptHint')}>
      <Textarea
        aria-label={t('settings.systemPrompt')}
        placeholder={t('settings.systemPromptPlaceholder')}
        autosize
        minRows={2}
        maxRows={8}
        value={systemPrompt}
        onChange={(event) => changeSettings({ systemPrompt: event.currentTarget.value })}
      />
    </Section>
  );
}

function SamplingSection({ defaults }: { defaults: Partial<Sampling> }) {
  const { t } = useTranslation();
  const sampling = useSettings((settings) => settings.sampling);
  const changed = Object.keys(sampling).length > 0;
  return (
    <Section
      title={t('settings.sampling')}
      hint={t('settings.samplingHint')}
      action={
        changed && (
          <Button size="compact-sm" variant="subtle" onClick={() => changeSettings({ sampling: {} })}>
            {t('settings.resetAll')}
          </Button>
        )
      }
    >
      <div className={classes.grid}>
        {SAMPLING_FIELDS.map((field) => (
          <SamplingInput key={field.key} field={field} standard={defaults[field.key]} />
        ))}
      </div>
    </Section>
  );
}

function SamplingInput({ field, standard }: { field: SamplingField; standard: number | undefined }) {
  const { t } = useTranslation();
  const sampling = useSettings((settings) => settings.sampling);
  const value = sampling[field.key];
  const change = (next: number | undefined) => {
    changeSettings({ sampling: cleanSampling({ ...sampling, [field.key]: next }) });
  };
  const unset = field.key === 'seed' ? t('settings.random') : t('settings.serverDefault');
  return (
    <NumberInput
      label={t(`settings.fields.${field.key}`)}
      description={t(`settings.fieldHints.${field.key}`)}
      placeholder={standard === undefined ? unset : t('settings.standard', { value: standard })}
      value={value ?? ''}
      onChange={(next) => change(typeof next === 'number' ? next : undefined)}
      min={field.min}
      max={field.max}
      step={field.step}
      allowDecimal={field.step < 1}
      hideControls={value === undefined}
      rightSection={
        value === undefined ? null : (
          <Tooltip label={t('settings.reset')}>
            <ActionIcon variant="subtle" color="gray" aria-label={t('settings.resetField', { field: t(`settings.fields.${field.key}`) })} onClick={() => change(undefined)}>
              <IconRestore size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        )
      }
    />
  );
}

function Access({ keyAsked }: { keyAsked: boolean }) {
  const { t } = useTranslation();
  const apiKey = useSettings((settings) => settings.apiKey);
  return (
    <Section title={t('settings.apiKey')} hint={keyAsked ? t('settings.apiKeyAsked') : t('settings.apiKeyHint')}>
      <PasswordInput
        aria-label={t('settings.apiKey')}
        autoComplete="off"
        value={apiKey}
        onChange={(event) => changeSettings({ apiKey: event.currentTarget.value.trim() })}
        visibilityToggleButtonProps={{ 'aria-label': t('settings.showKey') }}
      />
    </Section>
  );
}
