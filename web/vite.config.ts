import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { mockServer } from './mock/plugin';
import { POLICY } from './tools/policy';

// KaTeX's style sheet names each font in three formats; every browser that runs this page reads
// woff2, so the others would only make the program larger.
function onlyWoff2(): Plugin {
  return {
    name: 'only-woff2',
    enforce: 'pre',
    transform(code, id) {
      if (!/katex(\.min)?\.css/.test(id)) return null;
      return code.replace(/,\s*url\([^)]*\)\s*format\((["'])(woff|truetype)\1\)/g, '');
    },
  };
}

// The policy is part of the page itself, so that it holds whatever stands between server and browser.
// The development server needs inline scripts and goes without.
function policyInPage(): Plugin {
  return {
    name: 'policy-in-page',
    apply: 'build',
    transformIndexHtml: () => [{ tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: POLICY }, injectTo: 'head-prepend' }],
  };
}

export default defineConfig({
  // Relative, so that the page also works below the server's --base-path.
  base: './',
  plugins: [onlyWoff2(), policyInPage(), react(), mockServer()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)), '@examples': fileURLToPath(new URL('../examples', import.meta.url)) } },
  server: { fs: { allow: ['..'] } },
  build: {
    target: 'es2022',
    // Nothing is inlined as a data: URL: the Content-Security-Policy has fonts and scripts from
    // 'self' only.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: {
        manualChunks(id) {
          if (/node_modules\/(react|react-dom|scheduler)\//.test(id)) return 'react';
          if (/node_modules\/@mantine\/core\//.test(id)) return 'mantine';
          return undefined;
        },
      },
    },
  },
});
