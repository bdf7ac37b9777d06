import { svelteTesting } from '@testing-library/svelte/vite';
import { mergeConfig } from 'vite';
import { defineConfig } from 'vitest/config';
import base from './vite.config.ts';

export default mergeConfig(
  base,
  defineConfig({
    plugins: [svelteTesting()],
    test: {
      environment: 'jsdom',
      include: ['src/**/*.test.ts'],
      setupFiles: ['./src/test-setup.ts'],
      // Files share a process; test-setup.ts gives each its own modules and an untouched page, before anything else.
      isolate: false,
      sequence: { setupFiles: 'list' },
      // Two cores are the smallest machine we promise to be usable on.
      maxWorkers: 2,
      // A machine that is busy with builds as well is slow, not wrong.
      testTimeout: 30_000,
    },
  }),
);
