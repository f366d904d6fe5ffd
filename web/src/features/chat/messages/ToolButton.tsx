import { ActionIcon, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@/lib/icons';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useCopy } from '@/lib/use_copy';

// One of the small buttons under a message.
export function ToolButton({ label, onClick, children }: { label: string; onClick: () => void; children: ReactNode }) {
  return (
    <Tooltip label={label} openDelay={400}>
      <ActionIcon size={30} variant="subtle" color="gray" aria-label={label} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

export function CopyTool({ text }: { text: string }) {
  const { t } = useTranslation();
  const { copied, copy } = useCopy(text);
  return (
    <ToolButton label={t(copied ? 'common.copied' : 'common.copy')} onClick={copy}>
      {copied ? <IconCheck size={17} aria-hidden /> : <IconCopy size={17} aria-hidden />}
    </ToolButton>
  );
}
