import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

/** @type {import('eslint').Linter.RulesRecord}
 * Only the host folder may know that a desktop shell exists (DESIGN, invariant 9). */
const oneDoor = {
  'no-restricted-imports': [
    'error',
    {
      patterns: [
        {
          group: ['@tauri-apps/*'],
          message: 'Only ui/src/lib/host may import @tauri-apps/*: add what you need to Host.',
        },
      ],
    },
  ],
};

export default defineConfig(
  { ignores: ['**/dist/**', '**/*.gen.ts'] },
  js.configs.recommended,
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  {
    languageOptions: { globals: { ...globals.browser } },
    rules: {
      ...oneDoor,
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
  { files: ['**/src/lib/host/**'], rules: { 'no-restricted-imports': 'off' } },
  { files: ['**/*.config.ts', '**/*.config.js'], languageOptions: { globals: { ...globals.node } } },
);
