import { createTheme, type MantineColorsTuple } from '@mantine/core';

// A quiet green between leaf and sea.
const ocelli: MantineColorsTuple = ['#e6f5f3', '#cfe8e5', '#a3d2cd', '#73bbb4', '#4ba79f', '#2f998f', '#0e7d75', '#0b6e69', '#075c58', '#004a47'];

export const theme = createTheme({
  colors: { ocelli },
  primaryColor: 'ocelli',
  primaryShade: { light: 7, dark: 6 },
  defaultRadius: 'md',
  autoContrast: true,
  cursorType: 'pointer',
  // Chinese first: faces made for it stand before what a system would take instead.
  fontFamily: `system-ui, -apple-system, 'Segoe UI', 'PingFang SC', 'HarmonyOS Sans SC', 'MiSans', 'Microsoft YaHei UI', 'Microsoft YaHei', 'Noto Sans CJK SC', 'Noto Sans SC', 'WenQuanYi Micro Hei', sans-serif`,
  fontFamilyMonospace: `ui-monospace, SFMono-Regular, Menlo, Consolas, 'Noto Sans Mono CJK SC', 'Liberation Mono', monospace`,
  fontSizes: { xs: '12px', sm: '14px', md: '15px', lg: '17px', xl: '20px' },
  respectReducedMotion: true,
});
