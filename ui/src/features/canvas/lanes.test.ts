import { fireEvent, render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { findings } from '$lib/axe';
import { edge, node } from './__fixtures__/found';
import { critical, drawing, edges, ended, faces, order, steps } from './__fixtures__/delivery';
import Graph from './__fixtures__/Framed.svelte';
import { along, beside } from './lanes';

const box = (step: string) => String(order.indexOf(step));
const props = { drawing, faces, title: 'Deliver a feature' };

it('a line that would close a circle is refused where everybody sees it, until the next thing is done', async () => {
  const user = userEvent.setup();
  const onconnect = vi.fn();
  render(Graph, { ...props, draws: 'waits', onconnect, onmayconnect: async () => '`a`: both would wait for ever' });
  node('requirements').focus();
  await user.keyboard('c');
  node('analysis').focus();
  expect(await screen.findByText(/both would wait for ever/)).toBe(screen.getByTestId('graph-choosing'));
  expect(node('analysis')).toHaveClass('may-not');
  await user.keyboard('{Enter}');
  expect(screen.getByTestId('graph-undrawn')).toHaveTextContent(/both would wait for ever/);
  expect(screen.getByTestId('graph-undrawn')).toBeVisible();
  expect(onconnect).not.toHaveBeenCalled();
  await user.keyboard('{ArrowRight}');
  expect(screen.queryByTestId('graph-undrawn')).toBeNull();
});

describe('lanes', () => {
  it('are counted on both sides of their bars', () => {
    const others = beside(drawing);
    expect(others.get(box('ux'))).toBe(2);
    expect(others.get(box('backend'))).toBe(1);
    // Writes the manual alone: it waits for the same as the builds, and is not marked to run beside them.
    expect(others.has(box('docs'))).toBe(false);
    expect(others.has(box('analysis'))).toBe(false);
  });

  it('stand between bars that say what they mean, and are told to those who hear', () => {
    render(Graph, {
      ...props,
      overlay: { steps, edges: edges(steps) },
      way: { steps: critical, said: 'critical path' },
    });
    expect(screen.getAllByTestId('graph-fork')).toHaveLength(drawing.forks.length);
    expect(screen.getByTestId('graph-legend')).toHaveTextContent(/critical path.*at the same time.*follows from/);
    expect(node('ux')).toHaveTextContent(/Screen design, running.*beside 2 others, on the critical path/);
    expect(node('ux')).toHaveTextContent(/agents: ux-designer, copy-writer/);
    expect(screen.getByTestId('graph-team')).toHaveTextContent('2');
    expect(node('threats')).toHaveTextContent(/queued.*beside 2 others/);
    expect(node('threats')).toHaveAttribute('data-status', 'queued');
  });

  it('of which several are at work show it at once', () => {
    render(Graph, { ...props, overlay: { steps, edges: edges(steps) } });
    const running = screen.getAllByTestId('graph-node').filter((one) => one.dataset.status === 'running');
    expect(running.map((one) => one.dataset.step)).toEqual(['architecture', 'ux']);
  });

  it('have no accessibility findings, however they ended', async () => {
    const page = render(Graph, {
      ...props,
      overlay: { steps: ended, edges: edges(ended) },
      way: { steps: critical, said: 'critical path' },
    });
    expect(await findings(page.container)).toEqual([]);
  }, 20_000);
});

describe('a way', () => {
  it('is its steps and the dependencies between them', () => {
    const way = along(drawing, critical.map(box));
    expect(way.nodes.size).toBe(critical.length);
    expect(way.edges.size).toBe(critical.length - 1);
    expect([...way.edges]).toContain(`${box('ux')}-${box('planning')}-0`);
    expect(along(drawing, []).edges.size).toBe(0);
  });
});

describe('a new dependency', () => {
  it('is asked about where it rests: the program says whether there can be one', async () => {
    const onmayconnect = vi.fn(async (_from: string, to: string) => (to === 'ux' ? 'Not this one' : null));
    render(Graph, { ...props, draws: 'waits', onconnect: vi.fn(), onmayconnect });
    node('architecture').focus();
    await fireEvent.keyDown(node('architecture'), { key: 'c' });
    node('planning').focus();
    node('ux').focus();
    expect(await screen.findByText('Not this one')).toBe(screen.getByTestId('graph-choosing'));
    // Nobody rested at the first one.
    expect(onmayconnect.mock.calls).toEqual([['architecture', 'ux']]);
    node('planning').focus();
    await vi.waitFor(() => expect(node('planning')).toHaveClass('may'));
    expect(screen.queryByText('Not this one')).toBeNull();
  });

  it('is chosen with the keyboard: c, arrows, Enter', async () => {
    const onconnect = vi.fn();
    render(Graph, { ...props, draws: 'waits', onconnect });
    node('architecture').focus();
    await fireEvent.keyDown(node('architecture'), { key: 'c' });
    expect(screen.getByTestId('graph-choosing')).toHaveTextContent('Click the step that should wait for Architecture.');
    await fireEvent.keyDown(node('architecture'), { key: 'ArrowDown' });
    await vi.waitFor(() => expect(document.activeElement).toBe(node('ux')));
    expect(screen.getByTestId('graph-choosing')).toHaveTextContent('Screen design waits for Architecture');
    await fireEvent.keyDown(node('ux'), { key: 'Enter' });
    expect(onconnect).toHaveBeenCalledExactlyOnceWith('architecture', 'ux');
    expect(screen.queryByTestId('graph-choosing')).toBeNull();
  });

  it('leads a step to itself where it is chosen once more; none waits for itself', async () => {
    for (const draws of ['leads', 'waits'] as const) {
      const onconnect = vi.fn();
      const { unmount } = render(Graph, { ...props, draws, onconnect });
      node('architecture').focus();
      await fireEvent.keyDown(node('architecture'), { key: 'c' });
      await fireEvent.keyDown(node('architecture'), { key: 'Enter' });
      expect(onconnect.mock.calls).toEqual(draws === 'leads' ? [['architecture', 'architecture']] : []);
      expect(screen.queryByTestId('graph-choosing')).toBeNull();
      unmount();
    }
  });

  it('is left with Escape, and not made where it cannot be', async () => {
    const onconnect = vi.fn();
    render(Graph, { ...props, draws: 'waits', onconnect, onmayconnect: async () => 'Both would wait for ever' });
    node('requirements').focus();
    await fireEvent.keyDown(node('requirements'), { key: 'c' });
    await fireEvent.keyDown(node('requirements'), { key: 'Escape' });
    expect(screen.queryByTestId('graph-choosing')).toBeNull();
    await fireEvent.keyDown(node('requirements'), { key: 'c' });
    await fireEvent.keyDown(node('requirements'), { key: 'ArrowLeft' });
    await vi.waitFor(() => expect(document.activeElement).toBe(node('analysis')));
    await vi.waitFor(() => expect(screen.getByTestId('graph-choosing')).toHaveTextContent('Both would wait for ever'));
    await fireEvent.keyDown(node('analysis'), { key: 'Enter' });
    expect(onconnect).not.toHaveBeenCalled();
  });

  it('made by two clicks follows the pointer, and marks where it begins and the step under it', async () => {
    render(Graph, { ...props, draws: 'waits', onconnect: vi.fn() });
    await fireEvent.focus(node('threats'));
    await fireEvent.click(screen.getByRole('button', { name: /^Choose a step that waits for Threat model/ }));
    expect(node('threats')).toHaveClass('from');
    const on = drawing.nodes.find((one) => one.id === box('docs'))!;
    const at = { clientX: on.x + on.width / 2, clientY: on.y + on.height / 2, buttons: 0 };
    await fireEvent.pointerMove(screen.getByTestId('graph'), at);
    expect(node('docs')).toHaveClass('may');
    expect(screen.getByTestId('graph-connecting')).toBeInTheDocument();
    // The keyboard goes on from there: nothing is drawn to where the pointer was.
    node('ux').focus();
    await vi.waitFor(() => expect(node('ux')).toHaveClass('may'));
    expect(screen.queryByTestId('graph-connecting')).toBeNull();
  });

  it('is made by two clicks where nobody can drag', async () => {
    const onconnect = vi.fn();
    render(Graph, { ...props, draws: 'waits', onconnect });
    await fireEvent.focus(node('threats'));
    const handle = screen.getByRole('button', { name: /^Choose a step that waits for Threat model/ });
    await fireEvent.click(handle);
    await userEvent.setup().click(node('docs'));
    expect(onconnect).toHaveBeenCalledExactlyOnceWith('threats', 'docs');
  });

  it('cannot be made where nobody listens', async () => {
    render(Graph, props);
    await fireEvent.focus(node('threats'));
    expect(screen.queryByTestId('graph-connect')).toBeNull();
    await fireEvent.keyDown(node('threats'), { key: 'c' });
    expect(screen.queryByTestId('graph-choosing')).toBeNull();
  });
});

describe('an edge', () => {
  it('is taken out with Delete, and so is a step', async () => {
    const ondelete = vi.fn();
    render(Graph, { ...props, draws: 'waits', onedge: vi.fn(), ondelete, active: 'checks' });
    const line = edge('checks', 'release');
    expect(line.tabIndex).toBe(0);
    expect(line).toHaveAccessibleName('Release waits for Run all checks');
    await fireEvent.keyDown(line, { key: 'Delete' });
    expect(ondelete).toHaveBeenCalledExactlyOnceWith({ edge: line.dataset.edge });
    await fireEvent.keyDown(node('checks'), { key: 'Delete' });
    expect(ondelete).toHaveBeenLastCalledWith({ step: 'checks' });
  });

  it('may lead back where nothing waits', async () => {
    const onconnect = vi.fn();
    render(Graph, { ...props, onconnect });
    await fireEvent.focus(node('requirements'));
    await fireEvent.keyDown(node('requirements'), { key: 'c' });
    await fireEvent.keyDown(node('requirements'), { key: 'ArrowLeft' });
    await vi.waitFor(() => expect(document.activeElement).toBe(node('analysis')));
    await fireEvent.keyDown(node('analysis'), { key: 'Enter' });
    expect(onconnect).toHaveBeenCalledExactlyOnceWith('requirements', 'analysis');
  });
});
