import { render, screen } from '@testing-library/svelte';
import { expect, it } from 'vitest';
import Words from './Words.svelte';

it('shows what is quoted as such, and the place of the window in place of a command that does the same', () => {
  const text = 'Not confirmed (`hitl.four_eyes`). `gatehouse people` shows the fingerprints to compare.';
  const { container } = render(Words, { text });
  expect(container).toHaveTextContent(
    'Not confirmed (hitl.four_eyes). Settings › People shows the fingerprints to compare.',
  );
  expect(container.querySelector('code')).toHaveTextContent('hitl.four_eyes');
  expect(screen.getByRole('link', { name: 'Settings › People' })).toHaveAttribute('href', '#/settings?at=people');
});
