import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { useHost } from '$lib/api';
import { settings, workflow } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import App from '../App.svelte';
import { to } from '../app/router.svelte';
import Framed from '../features/pipeline/__fixtures__/Framed.svelte';
import { draftView, review } from '../features/pipeline/__fixtures__/pipeline';
import { DraftDesk } from '../features/pipeline/desk.svelte';

/** The script of a part is gone from the server, as after an update: what asks for it must not leave a blank. */
const lazy = ['../features/source/Source.svelte', '../features/source/Versions.svelte'];
const gone = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'));

beforeAll(() => lazy.forEach((path) => vi.doMock(path, gone)));
afterAll(() => lazy.forEach((path) => vi.doUnmock(path)));
afterEach(() => {
  vi.unstubAllGlobals();
  location.hash = '';
});

/** It says so, and offers to reload. */
async function says(): Promise<void> {
  const notice = await screen.findByText('This part of the window could not be loaded.', {}, { timeout: 10_000 });
  expect(notice.closest('[role="alert"]')).toHaveTextContent(/may have been updated meanwhile: reload this page\./);
  const reload = vi.fn();
  vi.stubGlobal('location', { hash: location.hash, reload });
  await userEvent.click(screen.getByRole('button', { name: 'Reload this page' }));
  expect(reload).toHaveBeenCalledOnce();
}

it('the source of a workflow', async () => {
  const host = new FakeHost()
    .on('settings.get', () => settings)
    .on('inbox.list', () => ({ waiting: [], decided: [], decided_total: 0, first_try: null }))
    .on('workflow.open', () => workflow())
    .on('workflow.palette', () => ({ kinds: [], gestures: {} }))
    .on('workflow.form', () => ({ revision: 'r1', form: null, known: [] }));
  useHost(host);
  location.hash = to.workflow('flows/shape.yaml', { tab: 'source' });
  render(App, { host });
  await says();
}, 20_000);

it('the text of a new pipeline', async () => {
  useHost(
    new FakeHost()
      .on('pipeline.templates', () => ({ templates: [review], folder: 'pipelines' }))
      .on('pipeline.draft', () => draftView()),
  );
  render(Framed, { desk: new DraftDesk(), oncreated: vi.fn() });
  await userEvent.click(await screen.findByText('Blank'));
  await userEvent.click(await screen.findByTestId('draft-text-tab'));
  await says();
}, 20_000);
