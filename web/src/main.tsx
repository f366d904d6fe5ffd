import '@mantine/core/styles.css';
import '@mantine/dropzone/styles.css';
import './app/global.css';
import { MantineProvider } from '@mantine/core';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { preferredLanguage, startI18n } from '@/i18n';
import { useSettings } from '@/features/settings';
import { App } from './app/App';
import { Appearance } from './app/Appearance';
import { startHousekeeping } from './app/housekeeping';
import { theme } from './app/theme';

const { language, theme: scheme } = useSettings.getState();
startI18n(language ?? preferredLanguage(navigator.languages));
startHousekeeping();

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme={scheme}>
        <Appearance />
        <App />
      </MantineProvider>
    </StrictMode>,
  );
}
