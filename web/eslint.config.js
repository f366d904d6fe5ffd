import jsxA11y from 'eslint-plugin-jsx-a11y';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

// Folders from low to high. A folder imports only from those before it, and of a feature only its
// index: features/x/index.ts is its door.
const FEATURES = ['settings', 'status', 'pictures', 'boxes', 'ocr', 'history', 'chat'];

// What a file of `folder` must not import. Imports inside a folder are relative and never climb
// into a neighbour ("../" leaves the folder only inside lib and inside a feature's subfolders).
function boundary(folder, forbidden) {
  return {
    files: [`src/${folder}/**/*.{ts,tsx}`],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { group: ['@/features/*/*'], message: "Import a feature through its index: '@/features/x'." },
            { group: ['../../*'], message: "Import other folders as '@/...'." },
            ...(forbidden.length ? [{ group: forbidden, message: `${folder} is below what it imports.` }] : []),
          ],
        },
      ],
    },
  };
}

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'public/first_paint.js'] },
  ...tseslint.configs.strict,
  jsxA11y.flatConfigs.strict,
  reactHooks.configs.flat.recommended,
  {
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'error',
      'no-console': 'error',
      eqeqeq: 'error',
      'max-lines-per-function': ['error', { max: 90, skipBlankLines: true, skipComments: true }],
    },
  },
  { files: ['**/*.test.{ts,tsx}'], rules: { 'max-lines-per-function': 'off' } },
  { files: ['tools/**', 'mock/**'], rules: { 'no-console': 'off' } },
  boundary('lib', ['@/features/*', '@/app/*', '@/i18n']),
  boundary('i18n', ['@/features/*', '@/app/*', '@/lib/*']),
  ...FEATURES.map((name, level) =>
    boundary(`features/${name}`, ['@/app/*', ...FEATURES.slice(level).map((higher) => `@/features/${higher}`)]),
  ),
  boundary('app', []),
);
