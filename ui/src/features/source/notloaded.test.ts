import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { useHost } from '$lib/api';
import { settings, workflow } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';

/** The script of a part is gone from the server, as after an update: what asks for it must not leave a blank. */
const lazy = ['./Source.svelte', './Versions.svelte'];
const gone = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'));

beforeAll(() => lazy.forEach((path) => vi.doMock(path, gone)));
afterAll(() => lazy.forEach((path) => vi.doUnmock(path)));
afterEach(() => void vi.unstubAllGlobals());

/** It says so, and offers to reload. */
async function says(): Promise<void> {
  const notice = await screen.findByText('This part of the window could not be loaded.', {}, { timeout: 10_000 });
  expect(notice.closest('[role="alert"]')).toHaveTextContent(/may have been updated meanwhile: reload this page\./);
  const reload = vi.fn();
  vi.stubGlobal('location', { reload });
  await userEvent.click(screen.getByRole('button', { name: 'Reload this page' }));
  expect(reload).toHaveBeenCalledOnce();
}

it('the source of a workflow', async () => {
  const { default: App } = await import('../../App.svelte');
  const { to } = await import('../../app/router.svelte');
  const host = new FakeHost()
    .on('settings.get', () => settings)
    .on('inbox.list', () => ({ waiting: [], decided: [], decided_total: 0, first_try: null }))
    .on('workflow.open', () => workflow())
    .on('workflow.palette', () => ({ kinds: [], gestures: {} }))
    .on('workflow.form', () => ({ revision: 'r1', form: null, known: [] }));
  useHost(host);
  window.location.hash = to.workflow('flows/shape.yaml', { tab: 'source' });
  render(App, { host });
  await says();
}, 20_000);

it('the text of a new pipeline', async () => {
  const { default: Framed } = await import('../pipeline/__fixtures__/Framed.svelte');
  const { draftView, review } = await import('../pipeline/__fixtures__/pipeline');
  const { DraftDesk } = await import('../pipeline/desk.svelte');
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
