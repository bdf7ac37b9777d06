import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { logAfter, RUN, runAt, stepAt, timelineAt, WAITING } from '../features/canvas/__fixtures__/request';
import { useHost } from '$lib/api';
import { FakeHost } from '$lib/host/fake';
import Framed from './run/__fixtures__/Framed.svelte';

// The whole view is mounted each time; a busy machine needs longer than the usual five seconds.
vi.setConfig({ testTimeout: 20_000 });

let host: FakeHost;

beforeEach(() => {
  localStorage.clear();
  location.hash = '';
  host = new FakeHost()
    .on('run.view', ({ at }: { at?: number }) => runAt(at, WAITING))
    .on('run.timeline', () => timelineAt(WAITING))
    .on('run.step', ({ step, at }: { step: string; at?: number }) => stepAt(step, at ?? WAITING))
    .on('run.log', ({ after }: { after?: number }) => logAfter(after ?? 0, WAITING));
  useHost(host);
});
afterEach(cleanup);

const open = async (at: number | null = null) => {
  render(Framed, { id: RUN, at, step: null });
  await screen.findAllByTestId('graph-node');
  await vi.waitFor(() => expect(screen.getByTestId('playhead')).toHaveAttribute('aria-valuemax', '20'));
};
const status = (step: string) =>
  screen.getAllByTestId('graph-node').find((one) => one.dataset.step === step)?.dataset.status;
const where = () => Number(screen.getByTestId('playhead').getAttribute('aria-valuenow'));

describe('the view of a run', () => {
  it('opens live, asks for each thing once, and offers the decision', async () => {
    await open();
    expect(screen.getByTestId('run-status')).toHaveAttribute('data-status', 'blocked');
    expect(screen.getAllByTestId('open-decision').length).toBeGreaterThan(0);
    expect(screen.queryByTestId('past-banner')).toBeNull();
    expect(host.called('run.timeline')).toHaveLength(1);
  });

  it('goes back event by event with the keyboard, and everything follows', async () => {
    await open();
    expect(status('critique')).toBe('blocked');
    for (let i = 0; i < 8; i++) await fireEvent.keyDown(window, { key: 'ArrowLeft' });
    await vi.waitFor(() => expect(status('critique')).toBe('running'));
    expect(where()).toBe(12);
    expect(screen.getByTestId('past-banner')).toHaveTextContent('event 12 of 20');
    // Nothing is decided in the past.
    expect(screen.queryByTestId('open-decision')).toBeNull();
    await fireEvent.keyDown(window, { key: 'End' });
    await vi.waitFor(() => expect(status('critique')).toBe('blocked'));
    expect(screen.queryByTestId('past-banner')).toBeNull();
  });

  it('plays on when Space is pressed, and stops when it is pressed again', async () => {
    await open();
    await fireEvent.keyDown(document.body, { key: ' ' });
    // From the beginning, because it stood at the end.
    await vi.waitFor(() => expect(where()).toBeLessThan(4));
    await vi.waitFor(() => expect(where()).toBe(3), { timeout: 8000 });
    expect(screen.getByTestId('playhead-play')).toHaveAccessibleName('Pause the replay');
    await fireEvent.keyDown(document.body, { key: ' ' });
    expect(screen.getByTestId('playhead-play')).toHaveAccessibleName('Play');
  });

  it('opens at the event its address names', async () => {
    await open(13);
    expect(screen.getByTestId('past-banner')).toHaveTextContent('event 12 of 20');
    expect(status('critique')).toBe('running');
  });

  it('explains the edge that is clicked, each time it was taken', async () => {
    await open();
    const edge = screen
      .getAllByTestId('graph-edge')
      .find((one) => one.dataset.from === 'author' && one.dataset.to === 'critique');
    if (!edge) throw new Error('no edge from author to critique');
    await fireEvent.click(edge);
    const card = await screen.findByTestId('why-card');
    expect(card).toHaveAttribute('data-pass', '5');
    await fireEvent.click(screen.getByTestId('why-previous'));
    expect(card).toHaveAttribute('data-pass', '3');
    await fireEvent.click(screen.getByTestId('why-show'));
    await vi.waitFor(() => expect(screen.getByTestId('playhead')).toHaveAttribute('data-at', '12'));
  });
});
