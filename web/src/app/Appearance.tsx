import { useMantineColorScheme } from '@mantine/core';
import { useEffect } from 'react';
import { changeLanguage, preferredLanguage } from '@/i18n';
import { useSettings } from '@/features/settings';

// Makes the page follow the chosen language and theme.
export function Appearance() {
  const language = useSettings((settings) => settings.language);
  const theme = useSettings((settings) => settings.theme);
  const { setColorScheme } = useMantineColorScheme();
  useEffect(() => changeLanguage(language ?? preferredLanguage(navigator.languages)), [language]);
  useEffect(() => setColorScheme(theme), [theme, setColorScheme]);
  return null;
}
