import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)), '@examples': fileURLToPath(new URL('../examples', import.meta.url)) } },
  test: { include: ['src/**/*.test.{ts,tsx}'], environment: 'node', testTimeout: 10_000 },
});
