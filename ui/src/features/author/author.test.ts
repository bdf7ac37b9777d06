import { afterEach, describe, expect, it, vi } from 'vitest';
import { useHost, type Gesture, type WorkflowView } from '$lib/api';
import { workflow } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { Author } from './author.svelte';

const like = workflow().steps[0]!;
/** A runbook: its ids are numbers, anew after every edit. */
const runbook = (...names: string[]): WorkflowView =>
  workflow({
    steps: names.map((name, i) => ({ ...like, ordinal: i, step: { id: String(i + 1), number: String(i + 1), name } })),
  });

function open(before: WorkflowView, after: WorkflowView, step: string) {
  useHost(new FakeHost().on('workflow.preview', () => ({ entails: [], refused: null })));
  const view = { value: before };
  const target = {
    path: 'a.runbook.md',
    view,
    step: step as string | null,
    make: vi.fn(async (_gestures: Gesture[]) => {
      view.value = after;
      return true;
    }),
  };
  return { target, author: new Author(target) };
}
afterEach(() => vi.restoreAllMocks());

describe('the step that was worked on stays chosen', () => {
  it('added: the new one, though another one had its id before', async () => {
    const { target, author } = open(runbook('Read', 'Send'), runbook('Read', 'Check', 'Send'), '1');
    author.addBehind('1');
    await author.add('prompt', 'Check');
    expect(target.step).toBe('2');
  });

  it('moved: the same one in its new place', async () => {
    const { target, author } = open(runbook('Read', 'Check', 'Send'), runbook('Check', 'Read', 'Send'), '1');
    await author.move('1', 1);
    expect(target.step).toBe('2');
  });

  it('removed: its neighbour', async () => {
    const first = open(runbook('Read', 'Check', 'Send'), runbook('Read', 'Send'), '2');
    await first.author.remove('2');
    expect(first.target.step).toBe('2');
    const last = open(runbook('Read', 'Send'), runbook('Read'), '2');
    await last.author.remove('2');
    expect(last.target.step).toBe('1');
  });
});

it('says that a gesture could not be asked about, until the next one', async () => {
  const { author } = open(runbook('Read'), runbook('Read', 'Check'), '1');
  useHost(new FakeHost());
  await author.connect('1', '1');
  expect(author.failed?.message).toContain('workflow.preview');
  useHost(new FakeHost().on('workflow.preview', () => ({ entails: [], refused: null })));
  await author.duplicate('1');
  expect(author.failed).toBeNull();
});
