import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

const tauri = {
  group: ['@tauri-apps/*'],
  message: 'Only ui/src/lib/host may import @tauri-apps/*: add what you need to Host.',
};
/** Half of all script is the source editor's. */
const editor = {
  regex: 'features/source/(?!words)|^@codemirror/',
  message: 'Import the source editor when it is opened (`import(…)`), or every launch loads it.',
};
const views = {
  regex: '^(\\.\\./)+(views|app)/',
  message: 'Views know features and the window knows views, never the other way round.',
};
const meeting = {
  // Every feature may show a graph, through the index of the canvas.
  regex: '^\\.\\./(?!canvas$)[a-z]',
  message: 'Features meet in views only: take what the other one shows as a snippet, or move it to ui/src/lib.',
};

const beneath = {
  regex: 'features/',
  message: 'ui/src/lib is what features are made of: it knows none of them.',
};

/** @param {object[]} patterns @returns {import('eslint').Linter.RulesRecord} */
const forbid = (...patterns) => ({ 'no-restricted-imports': ['error', { patterns }] });

export default defineConfig(
  { ignores: ['**/dist/**', '**/*.gen.ts'] },
  js.configs.recommended,
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  {
    languageOptions: { globals: { ...globals.browser } },
    rules: {
      // Only the host folder may know that a desktop shell exists (ARCHITECTURE, invariant 9).
      ...forbid(tauri),
      'no-undef': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, extraFileExtensions: ['.svelte'], svelteConfig } },
    rules: {
      // Links are hash addresses of our own router, there is no SvelteKit here.
      'svelte/no-navigation-without-resolve': 'off',
    },
  },
  { files: ['**/src/features/*/*'], ignores: ['**/*.test.ts'], rules: forbid(tauri, views, meeting, editor) },
  { files: ['**/src/features/source/**'], rules: forbid(tauri, views, meeting) },
  { files: ['**/src/lib/**'], ignores: ['**/*.test.ts'], rules: forbid(tauri, views, beneath, editor) },
  { files: ['**/src/views/**', '**/src/app/**'], ignores: ['**/*.test.ts'], rules: forbid(tauri, editor) },
  { files: ['**/src/lib/host/**'], rules: { 'no-restricted-imports': 'off' } },
  { files: ['**/*.config.ts', '**/*.config.js'], languageOptions: { globals: { ...globals.node } } },
);
