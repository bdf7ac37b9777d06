import { render, screen } from '@testing-library/svelte';
import { expect, it } from 'vitest';
import Source from './Source.svelte';

const props = { path: 'a.yaml', text: 'key: [', typing: { typed: () => {}, save: () => {} } };
const broken = { line: 36, message: '`]` is missing.' };

it('says of text that cannot be read where and why, and which picture is shown', async () => {
  const { rerender } = render(Source, { ...props, unsaved: true, broken });
  const status = screen.getByTestId('source-status');
  expect(status).toHaveTextContent(/not saved yet. It cannot be read as a workflow; .* Line 36: ] is missing\.$/);
  expect(status).toHaveTextContent('the picture shows the last text that could be read');
  await rerender({ ...props, unsaved: false, broken });
  expect(status).toHaveTextContent(/^It cannot be read/);
  await rerender({ ...props, unsaved: true, broken: null });
  expect(status).toHaveTextContent('The picture shows what it would be.');
});
