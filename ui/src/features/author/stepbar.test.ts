import { render, screen } from '@testing-library/svelte';
import { expect, it } from 'vitest';
import { useHost } from '$lib/api';
import { workflow } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { Author } from './author.svelte';
import StepBar from './StepBar.svelte';

it('is not there where nothing can be done with a step', async () => {
  useHost(
    new FakeHost().on('workflow.palette', () => ({
      kinds: [],
      gestures: { steps: false, gates: false, order: false },
    })),
  );
  const view = { value: workflow() };
  const author = new Author({
    path: 'a.yaml',
    view,
    step: null,
    left: false,
    make: async () => true,
    fill: async () => null,
  });
  await author.palette.refresh();
  render(StepBar, { author, step: workflow().steps[0]!, busy: false });
  expect(author.acts).toBe(false);
  expect(screen.queryByTestId('step-bar')).toBeNull();
});
