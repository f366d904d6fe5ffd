import { Menu, UnstyledButton } from '@mantine/core';
import { IconChevronDown } from '@/lib/icons';
import { useTranslation } from 'react-i18next';
import type { PictureRecord } from '@/lib/db';
import { formatCount, formatDuration } from '@/lib/format';
import { estimateUse } from '@/features/pictures';
import { changeSettings, useSettings } from '@/features/settings';
import { useSpeeds, useStatus } from '@/features/status';
import classes from './composer.module.css';

const CHOICES = [256, 1024, 4096] as const;

// What reading these pictures will cost, and the choice of a smaller size.
export function PictureSizeMenu({ pictures, maxTokens }: { pictures: readonly PictureRecord[]; maxTokens: number | null }) {
  const { t, i18n } = useTranslation();
  const facts = useStatus((status) => status.facts.pictures);
  const speeds = useSpeeds();
  const chosen = useSettings((settings) => settings.pictureTokens);
  const describe = (limit: number | null): string => {
    const uses = pictures.map(({ width, height }) => (width && height ? estimateUse({ width, height }, facts, limit) : null));
    const tokens = uses.reduce((sum, use) => sum + (use?.tokens ?? 0), 0);
    if (tokens === 0) return '';
    const words = t('composer.tokens', { tokens: formatCount(tokens, i18n.language) });
    return speeds.picture === null ? words : `${words} · ${t('composer.about', { time: formatDuration(tokens * speeds.picture, i18n.language) })}`;
  };
  const { tokenSide, maxPixels } = facts;
  const most = tokenSide === null || maxPixels === null ? Infinity : maxPixels / tokenSide ** 2;
  const now = describe(maxTokens);
  return (
    <Menu position="top-start" shadow="md" radius="md">
      <Menu.Target>
        <UnstyledButton className={classes.size}>
          {t('composer.pictureSize')}
          {now && <span className={classes.sizeCost}>{now}</span>}
          <IconChevronDown size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {[null, ...CHOICES.filter((limit) => limit <= most)].map((limit) => (
          <Menu.Item key={limit ?? 0} role="menuitemradio" aria-checked={chosen === limit} data-chosen={chosen === limit || undefined} className={classes.choice} onClick={() => changeSettings({ pictureTokens: limit })}>
            <span>{limit === null ? t('settings.budgetDefault') : t(`settings.budgets.${limit}`)}</span>
            <span className={classes.choiceCost}>{describe(limit)}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
