import { defineConfig } from '@playwright/test';

// The page in Debian's Chromium against the real program with the embedded model, in both languages,
// on a phone and on a wide screen. Run by tests/e2e/run.
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

const project = (name: string, language: 'zh-CN' | 'en-US', width: number, height: number) => ({
  name,
  use: { locale: language, viewport: { width, height }, hasTouch: width < 500 },
});

export default defineConfig({
  testDir: '.',
  outputDir: '../../build/e2e/results',
  timeout: 120_000,
  expect: { timeout: 30_000 },
  workers: 1,
  // A machine that is busy with other things may starve the browser; what is broken fails twice.
  retries: 1,
  forbidOnly: true,
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    launchOptions: { executablePath: process.env['OCELLI_CHROMIUM'] ?? '/usr/bin/chromium', args: FLAGS },
    trace: 'off',
    actionTimeout: 15_000,
    // Half-way through a fade everything has less contrast than it will have: axe and screenshots see the page at rest.
    contextOptions: { reducedMotion: 'reduce' },
  },
  projects: [project('zh-390', 'zh-CN', 390, 844), project('en-1440', 'en-US', 1440, 900), project('zh-1440', 'zh-CN', 1440, 900), project('en-390', 'en-US', 390, 844)],
});
