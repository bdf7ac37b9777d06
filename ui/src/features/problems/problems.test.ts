import { useHost, type ProblemView } from '$lib/api';
import { findings } from '$lib/axe';
import { workflow } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import StepInspector from '../workflow/StepInspector.svelte';
import { excerpt } from '$lib/around/excerpt';
import Problems from './Problems.svelte';
import Unreadable from './Unreadable.svelte';

const edit = { kind: 'rename' as const, place: { step: 1, path: ['max_iteration'] }, to: 'max_iterations' };

function problem(over: Partial<ProblemView> = {}): ProblemView {
  return {
    code: 'GH0503',
    severity: 'warning',
    message: '`max_iteration` is not a field that is known here, so it has no effect; `max_iterations` is',
    help: 'A field of your own is kept as it is',
    line: 3,
    column: 7,
    end_line: 3,
    end_column: 20,
    step: workflow().steps[1]?.step ?? null,
    fix: { label: 'Rename to max_iterations', edit },
    ...over,
  };
}

const actions = () => ({ ongo: vi.fn(), onfix: vi.fn(async () => true), onall: vi.fn() });

describe('problems', () => {
  it('name the step beside its id, with line and column below what is wrong', () => {
    const step = { ...workflow().steps[1]!.step, id: 'critique_reqs', name: 'Judge the requirements' };
    render(Problems, { problems: [problem({ step })], writable: true, ...actions() });
    const item = screen.getByRole('listitem');
    expect(item).toHaveTextContent(step.name);
    expect(within(item).getByText(step.id)).toBeVisible();
    expect(item).toHaveTextContent('line 3, column 7');
    expect(within(item).queryByTestId('problem-field')).toBeNull();
  });

  it('name the field as the form does, beside its step', () => {
    render(Problems, { problems: [problem({ field: 'Back to' })], writable: true, ...actions() });
    expect(screen.getByTestId('problem-field')).toHaveTextContent('Back to');
  });

  it('of a file behind the workflow name that file, and lead to where it is shown', async () => {
    const { ongo, ...rest } = actions();
    const there = problem({ line: 41, elsewhere: { file: 'plans/instructions.md', line: 4, column: 3 } });
    render(Problems, { problems: [there], writable: true, ongo, ...rest });
    expect(screen.getByRole('listitem')).toHaveTextContent('plans/instructions.md, line 4, column 3');
    await userEvent.click(screen.getByRole('button', { name: /not a field/ }));
    expect(ongo).toHaveBeenCalledWith(there);
  });

  it('a step lists its own, and mends them where it is', async () => {
    const { ongo, onfix } = actions();
    const view = workflow({
      problems: [problem(), problem({ code: 'GH0501', message: 'Of another step', step: null })],
    });
    const step = view.steps[1]!;
    render(StepInspector, { view, step, busy: false, onedit: onfix, onsource: vi.fn(), ongo });
    const list = screen.getByTestId('step-problems');
    expect(list).toHaveTextContent('is not a field that is known here');
    expect(list).not.toHaveTextContent('Of another step');
    await userEvent.click(within(list).getByRole('button', { name: /Rename to/ }));
    expect(onfix).toHaveBeenCalledWith([edit], 'Rename to max_iterations');
    await userEvent.click(within(list).getByRole('button', { name: /not a field/ }));
    expect(ongo).toHaveBeenCalledOnce();
  });

  describe('of one kind', () => {
    const at = (line: number, over: Partial<ProblemView> = {}) => {
      const own = { ...edit, place: { step: line, path: ['max_iteration'] } };
      return problem({ line, fix: { label: `Rename at ${line}`, edit: own }, ...over });
    };

    it('are mended together, as one change, the last one of the file first', async () => {
      const { onfix, ...rest } = actions();
      const other = problem({ code: 'GH0501', line: 4, fix: { label: 'Remove it', edit: { ...edit, to: 'x' } } });
      render(Problems, { problems: [at(3), other, at(9), at(12, { fix: null })], writable: true, onfix, ...rest });
      expect(screen.getAllByTestId('fix-all')).toHaveLength(1);
      await userEvent.click(screen.getByRole('button', { name: 'Fix all 2 of this kind' }));
      expect(onfix).toHaveBeenCalledExactlyOnceWith(
        [at(9).fix?.edit, at(3).fix?.edit],
        'All problems of the kind GH0503 that have a fix are mended',
      );
    });

    it('that the same edit mends need it once, and one alone has no others', () => {
      render(Problems, { problems: [at(3), at(3)], writable: true, ...actions() });
      expect(screen.queryByTestId('fix-all')).toBeNull();
    });

    it('are offered where one of them stands, with those of other steps', async () => {
      const { onfix, ongo } = actions();
      const view = workflow({ problems: [at(3), at(9, { step: null })] });
      const props = { view, step: view.steps[1]!, busy: false, onsource: vi.fn(), ongo };
      render(StepInspector, { ...props, onedit: onfix });
      await userEvent.click(screen.getByRole('button', { name: 'Fix all 2 of this kind' }));
      const both = [at(9).fix?.edit, at(3).fix?.edit];
      expect(onfix).toHaveBeenCalledExactlyOnceWith(both, 'All problems of the kind GH0503 that have a fix are mended');
    });

    it('are not mended where the file cannot be written', () => {
      render(Problems, { problems: [at(3), at(9)], writable: false, ...actions() });
      expect(screen.getByTestId('fix-all')).toBeDisabled();
    });
  });

  it('lead from their code to why it is a problem', async () => {
    const host = new FakeHost().on('problem.explain', ({ code }: { code: string }) => ({
      code,
      title: 'A field without effect',
      html: '<p>Nothing reads this field.</p>',
    }));
    useHost(host);
    render(Problems, { problems: [problem()], writable: true, ...actions() });
    await userEvent.click(screen.getByRole('button', { name: 'GH0503: why is this a problem?' }));
    const dialog = await screen.findByRole('dialog', { name: 'A field without effect' });
    expect(dialog).toHaveTextContent('Nothing reads this field.');
    expect(dialog).toHaveAccessibleDescription('GH0503');
    expect(host.called('problem.explain')).toEqual([{ code: 'GH0503' }]);
    expect(await findings(dialog)).toEqual([]);
    await userEvent.keyboard('{Escape}');
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('a step without any says nothing of them', () => {
    const view = workflow({ problems: [problem({ step: null })] });
    const props = {
      view,
      step: view.steps[0]!,
      busy: false,
      onedit: actions().onfix,
      onsource: vi.fn(),
      ongo: vi.fn(),
    };
    render(StepInspector, props);
    expect(screen.queryByTestId('step-problems')).toBeNull();
  });
});

describe('a file that cannot be read', () => {
  const source = 'key: x\nsteps:\n  - id: a\n    role: "open\n  - id: b\n';
  const broken = problem({
    code: 'GH0101',
    severity: 'error',
    message: 'This file cannot be read past line 4, column 11: a quote is opened here and never closed',
    line: 4,
    column: 11,
    step: null,
    fix: null,
  });

  it('shows why, with the text beside it', async () => {
    const { ongo, onfix, onall } = actions();
    const [onsource, onundo] = [vi.fn(), vi.fn()];
    const view = workflow({ source, steps: [], faces: [], problems: [broken, problem()], undo: 'the source' });
    render(Unreadable, { view, ongo, onfix, onall, onsource, onundo });
    expect(screen.getByRole('heading')).toHaveTextContent('This file cannot be read as a workflow');
    expect(screen.getByTestId('excerpt')).toHaveTextContent('role: "open');
    expect(screen.queryByText(/is not a field/)).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: /cannot be read past/ }));
    expect(ongo).toHaveBeenCalledWith(broken);
    await userEvent.click(screen.getByRole('button', { name: 'Show the source' }));
    expect(onsource).toHaveBeenCalledOnce();
    await userEvent.click(screen.getByRole('button', { name: 'Undo: the source' }));
    expect(onundo).toHaveBeenCalledOnce();
  });

  it('nobody is asked to choose a step where there is none', async () => {
    const view = workflow({ source, steps: [], faces: [], problems: [broken] });
    const props = { view, step: null, busy: false, onedit: actions().onfix, onsource: vi.fn(), ongo: vi.fn() };
    const { rerender } = render(StepInspector, { ...props, blank: true });
    expect(screen.queryByText(/Choose a step/)).toBeNull();
    await rerender({ ...props, blank: false });
    expect(screen.getByText(/Choose a step/)).toBeVisible();
  });

  it('of the text the lines around are shown, whatever its ends', () => {
    const numbers = (text: string, line: number) => excerpt(text, line).map((one) => one.number);
    expect(numbers(source, 4)).toEqual([2, 3, 4, 5, 6]);
    expect(numbers(source, 1)).toEqual([1, 2, 3]);
    expect(numbers('a\r\nb\rc', 9)).toEqual([1, 2, 3]);
    expect(excerpt('x'.repeat(5000), 1)[0]?.text).toHaveLength(401);
  });
});
