import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { useHost, type EndingView, type FaceView, type Status, type StepOverlay } from '$lib/api';
import { findings } from '$lib/axe';
import { FakeHost } from '$lib/host/fake';
import AbortDialog from './AbortDialog.svelte';
import Ending from './Ending.svelte';
import Outputs from './Outputs.svelte';
import { OutputsDesk } from './outputs.svelte';
import ResumeDialog from './ResumeDialog.svelte';
import RunStrip from './RunStrip.svelte';
import { choice, pipelineRun, step } from './__fixtures__/pipeline';

vi.setConfig({ testTimeout: 20_000 });

/** Stages by name, as they stand, with the faces that belong to them. */
function stages(of: Record<string, Status>): { steps: StepOverlay[]; faces: FaceView[] } {
  const entries = Object.entries(of);
  return {
    steps: entries.map(([, status], i) => ({
      id: String(i),
      status,
      words: status,
      visits: 1,
      instances: 0,
      retry: null,
    })),
    faces: entries.map(([id], i) => ({
      step: step(id, String(i + 1)),
      ordinal: i,
      kind: 'agent',
      parent: null,
      dynamic: false,
      jump_only: false,
      detour_from: null,
      collapsed: null,
      sub: '',
      gate: false,
      loop_max: null,
      problem: null,
    })),
  };
}

describe('how far a pipeline is', () => {
  const at = { a: 'done', b: 'running', c: 'blocked', d: 'queued', e: 'not_started' } as const;
  const strip = (over: Partial<Parameters<typeof pipelineRun>[0]> = {}, rest = {}) =>
    render(RunStrip, {
      pipeline: pipelineRun(over),
      ...stages(at),
      over: false,
      longest: false,
      onstep: vi.fn(),
      onlongest: vi.fn(),
      ...rest,
    });

  it('is said in words, with what is at work and what is left', async () => {
    const onstep = vi.fn();
    strip({}, { onstep });
    expect(screen.getByRole('progressbar')).toHaveAttribute('aria-valuetext', '2 of 5 completed');
    expect(screen.getByTestId('pipeline-estimate')).toHaveTextContent('about 3 min (estimated from 4 past runs)');
    const now = within(screen.getByTestId('pipeline-now'));
    expect(now.getAllByRole('button').map((one) => one.textContent.trim())).toEqual(['c', 'b']);
    expect(screen.getByTestId('pipeline-now')).toHaveTextContent('1 queued');
    await userEvent.click(now.getByText('b'));
    expect(onstep).toHaveBeenCalledWith('b');
  });

  it('estimates nothing where nothing is known, or nothing is left', () => {
    strip({ estimate: { ms: null, words: 'unknown', runs: 0, path: [], unknown: [] } });
    expect(screen.queryByTestId('pipeline-estimate')).toBeNull();
  });

  it('counts what was completed, and nothing else', () => {
    const words = '3 completed, 1 cut off';
    strip({ progress: { completed: 3, total: 4, percent: 75, words } }, { over: true });
    expect(screen.getByTestId('pipeline-progress')).toHaveTextContent(words);
    const bar = screen.getByRole('progressbar');
    expect([bar.getAttribute('aria-valuenow'), bar.getAttribute('aria-valuemax')]).toEqual(['3', '4']);
    expect(screen.queryByTestId('pipeline-now')).toBeNull();
  });

  it('marks the longest way on demand', async () => {
    const onlongest = vi.fn();
    strip({}, { onlongest });
    await userEvent.click(screen.getByTestId('pipeline-longest'));
    expect(onlongest).toHaveBeenCalledWith(true);
  });
});

describe('how a pipeline ended', () => {
  const ending: EndingView = {
    words: 'The pipeline went to its end, but only 1 of 3 stages was completed.',
    failed: [{ step: step('build', '2'), words: 'failed: no compiler', because: null }],
    refused: [],
    aborted: [],
    skipped: [
      {
        step: step('ship', '3'),
        words: 'was skipped, because it cannot do without “build”',
        because: step('build', '2'),
      },
    ],
    by_person: [],
    left_out: [],
    pending: [],
  };

  it('is explained stage by stage', async () => {
    const onstep = vi.fn();
    const { container } = render(Ending, { ending, status: 'partly', onstep });
    expect(screen.getByRole('status')).toHaveTextContent('Completed with failures. The pipeline went to its end');
    await userEvent.click(screen.getByTestId('ending-details'));
    const rows = screen.getAllByTestId('ending-stage').map((row) => [row.dataset.kind, row.dataset.stage]);
    expect(rows).toEqual([
      ['failed', 'build'],
      ['skipped', 'ship'],
    ]);
    await userEvent.click(screen.getByRole('button', { name: 'ship' }));
    expect(onstep).toHaveBeenCalledWith('ship');
    expect(await findings(container)).toEqual([]);
  });

  it('tells a refusal from a failure', async () => {
    const refused = [{ step: step('build', '2'), words: 'was rejected by Ada Lund: not this way', because: null }];
    render(Ending, {
      ending: { ...ending, words: 'The pipeline was rejected.', failed: [], refused },
      status: 'refused',
      onstep: vi.fn(),
    });
    expect(screen.getByRole('status')).toHaveTextContent('Rejected. The pipeline was rejected.');
    await userEvent.click(screen.getByTestId('ending-details'));
    expect(screen.getAllByTestId('ending-stage')[0]).toHaveTextContent(
      'Rejected build was rejected by Ada Lund: not this way',
    );
  });

  it('says what the person said who stopped it', () => {
    render(Ending, { ending, status: 'aborted', reason: 'The wrong branch.', onstep: vi.fn() });
    expect(screen.getByRole('status')).toHaveTextContent(/^Stopped\..*The wrong branch\.$/);
  });
});

describe('aborting', () => {
  it('says what is cut off and what stays, and does nothing before it is confirmed', async () => {
    const onabort = vi.fn().mockResolvedValue(true);
    render(AbortDialog, {
      open: true,
      ...stages({ a: 'done', b: 'running', c: 'blocked', d: 'queued', e: 'not_started' }),
      onabort,
    });
    const cut = await screen.findByTestId('abort-cut');
    expect(
      within(cut)
        .getAllByRole('listitem')
        .map((one) => one.textContent),
    ).toEqual([expect.stringContaining('b'), expect.stringContaining('c')]);
    expect(screen.getByRole('dialog', { name: 'Stop this pipeline?' })).toHaveTextContent(
      '2 stages that have not begun',
    );
    // The word of the button, of the badge and of the log.
    expect(screen.getByRole('dialog')).not.toHaveTextContent(/abort/i);
    expect(onabort).not.toHaveBeenCalled();
    await userEvent.type(screen.getByTestId('stop-reason'), ' Enough. ');
    await userEvent.click(screen.getByTestId('stop-confirm'));
    expect(onabort).toHaveBeenCalledWith('Enough.');
  });

  it.each<[string, Record<string, Status>, string]>([
    ['one runs', { a: 'running' }, 'Its programs are ended and what it had not handed in is lost. When'],
    ['all of them run', { a: 'running', b: 'running' }, 'Their programs are ended'],
    ['some only wait', { a: 'running', b: 'blocked' }, 'The programs of the one that is running are ended'],
    ['it only waits for a person', { a: 'blocked' }, 'When the pipeline is resumed you decide about it.'],
  ])('speaks of programs where some run: %s', async (_, all, words) => {
    render(AbortDialog, { open: true, ...stages(all), onabort: vi.fn() });
    const said = await screen.findByTestId('abort-lost');
    expect(said.textContent.trim()).toMatch(new RegExp(`^${words}`));
  });
});

it('leaves a paused pipeline paused where it is not stopped', async () => {
  render(AbortDialog, { open: true, ...stages({ a: 'paused' }), paused: true, onabort: vi.fn() });
  expect(await screen.findByRole('button', { name: 'Leave it paused' })).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Let it go on' })).toBeNull();
});

describe('resuming', () => {
  const choices = [
    choice('build', '2', [step('ship', '4')]),
    choice('test', '3', [step('docs', '5')], { status: 'aborted' }),
  ];
  const open = (onapply = vi.fn().mockResolvedValue(true)) => {
    render(ResumeDialog, { open: true, title: 'Release', choices, completed: 1, onapply });
    return onapply;
  };
  const pick = (stage: string, what: string) =>
    userEvent.click(
      within(
        screen.getAllByTestId('resume-stage').find((one) => one.dataset.stage === stage) as HTMLElement,
      ).getByTestId(`resume-${what}`),
    );
  const lines = () =>
    within(screen.getByTestId('resume-summary'))
      .getAllByRole('listitem')
      .map((one) => one.textContent);

  it('wants a decision about every stage, sums them up, and applies them at once', async () => {
    const onapply = open();
    expect(await screen.findByTestId('resume-apply')).toBeDisabled();
    expect(lines()).toContain('2 stages still need a decision.');
    await pick('build', 'skip');
    await pick('test', 'retry');
    expect(lines()).toEqual([
      'Tried again: test',
      'Left out: build',
      'Left out because of that: ship',
      'May run after that: docs',
      '1 completed stage stays as it is.',
    ]);
    await userEvent.click(screen.getByTestId('resume-apply'));
    expect(onapply).toHaveBeenCalledExactlyOnceWith({ build: 'skip', test: 'retry' });
  });

  it('takes a choice back', async () => {
    open();
    await pick('build', 'skip');
    await userEvent.click(screen.getByTestId('resume-undo'));
    expect(lines()).toContain('2 stages still need a decision.');
    expect(await findings(document.body)).toEqual([]);
  });
});

describe('what stages made', () => {
  const file = (path: string) => ({
    path,
    bytes: 12,
    digest: 'aa',
    kind: 'markdown',
    html: `<p>Inside ${path}</p>`,
    changes: null,
    differs_on_disk: false,
  });

  it('is listed stage by stage and opened', async () => {
    const host = new FakeHost().on('run.step', ({ step }: { step: string }) => ({
      visits: [{ attempts: [{ artifacts: step === 'a' ? [file('out/plan.md')] : [] }] }],
    }));
    useHost(host);
    render(Outputs, {
      desk: new OutputsDesk('r'),
      ...stages({ a: 'done', b: 'failed', c: 'not_started' }),
      at: null,
      onstep: vi.fn(),
    });
    await userEvent.click(await screen.findByTestId('outputs-file'));
    expect(await screen.findByText('Inside out/plan.md')).toBeVisible();
    expect(screen.getAllByTestId('outputs-stage').map((one) => one.dataset.stage)).toEqual(['a', 'b']);
    expect(host.called('run.step')).toHaveLength(2);
  });

  it('is of one path what was made last, in all rounds', async () => {
    const made = (path: string, bytes: number) => ({ artifacts: [{ ...file(path), bytes }] });
    useHost(
      new FakeHost().on('run.step', ({ until }: { until?: number }) =>
        until === undefined
          ? { visits: [{ attempts: [made('plan.md', 4), made('plan.md', 3)] }], earlier: 1 }
          : { visits: [{ attempts: [made('plan.md', 2)] }, { attempts: [made('notes.md', 1)] }] },
      ),
    );
    const desk = new OutputsDesk('r');
    const { steps, faces } = stages({ a: 'done' });
    await desk.show(steps, faces, null);
    expect(desk.made[0]?.files?.map(({ path, bytes }) => [path, bytes])).toEqual([
      ['plan.md', 4],
      ['notes.md', 1],
    ]);
  });
});
