import { render, screen, waitFor } from '@testing-library/svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { useHost } from '$lib/api';
import { settings } from '$lib/fixtures';
import App from '../../App.svelte';
import { FakeHost } from './fake';
import { httpHost } from './http';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const stream = () => new Response(new ReadableStream({ start: (on) => on.close() }));
const refused = () => new Response('{"code":"unauthorised","message":"not let in"}', { status: 401 });

describe('the notices over http', () => {
  it('are not asked for any more when Gatehouse was started again with another token', async () => {
    vi.useFakeTimers();
    const fetch = vi.fn(async () => refused()).mockImplementationOnce(async () => stream());
    vi.stubGlobal('fetch', fetch);
    const links: string[] = [];
    const host = httpHost('old');
    const replaced = vi.fn();
    void host.replaced?.then(replaced);
    const stop = host.subscribe(
      () => {},
      (state) => links.push(state),
    );
    await vi.advanceTimersByTimeAsync(60_000);
    expect(links).toEqual(['open', 'lost']);
    expect(fetch).toHaveBeenCalledTimes(2);
    expect(replaced).toHaveBeenCalledOnce();
    stop();
  });

  it('end at once where the page is not let in at all', async () => {
    vi.useFakeTimers();
    const fetch = vi.fn(async () => refused());
    vi.stubGlobal('fetch', fetch);
    const host = httpHost();
    const replaced = vi.fn();
    void host.replaced?.then(replaced);
    const stop = host.subscribe(() => {});
    await vi.advanceTimersByTimeAsync(60_000);
    expect(fetch).toHaveBeenCalledTimes(1);
    const [, sent] = fetch.mock.calls[0] as unknown as [string, { headers: Record<string, string> }];
    expect(sent.headers).not.toHaveProperty('Authorization');
    expect(replaced).toHaveBeenCalledOnce();
    stop();
  });

  it('are asked for again after a break', async () => {
    vi.useFakeTimers();
    const fetch = vi.fn(async () => stream());
    vi.stubGlobal('fetch', fetch);
    const host = httpHost('good');
    const stop = host.subscribe(() => {});
    await vi.advanceTimersByTimeAsync(10_000);
    expect(fetch.mock.calls.length).toBeGreaterThan(2);
    stop();
  });
});

it('says where a file is fetched that was just written, where the page is let in by its cookie', () => {
  expect(httpHost().written?.('/project/reports/A letter.zip')).toBe('/saved/A%20letter.zip');
  expect(httpHost('token').written).toBeUndefined();
});

describe('the window', () => {
  it('says what to do when it will not be answered any more', async () => {
    const host = new FakeHost()
      .on('settings.get', () => settings)
      .on('inbox.list', () => ({ waiting: [], decided: [], decided_total: 0, first_try: null }));
    useHost(host);
    render(App, { host });
    host.link('lost');
    expect(await screen.findAllByText(/Trying again/)).not.toHaveLength(0);
    host.replace();
    const said = 'Gatehouse was started again: open the address it printed.';
    await waitFor(() => expect(screen.getByText(said, { selector: 'main .lost' })).toBeVisible());
    expect(screen.queryByText(/Trying again/, { selector: 'main .lost' })).toBeNull();
    host.link('open');
  });
});
