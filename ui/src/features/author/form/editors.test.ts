import { cleanup, render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import type { ComponentProps } from 'svelte';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { FormField, ProblemView } from '$lib/api';
import { findings } from '$lib/axe';
import { toasts } from '$lib/ui/toasts.svelte';
import Form from '../__fixtures__/FramedForm.svelte';
import * as written from '../__fixtures__/written';

const at = (...path: string[]) => ({ step: 1, path });
const field = (name: string, label: string, control: FormField['control'], value: unknown): FormField => ({
  name,
  label,
  section: 'flow',
  help: 'Some help.',
  control,
  place: at(...name.split('.')),
  value,
  default: null,
});
const line = (value: unknown) =>
  field('condition', 'Goes to “Send it” when', written.condition(value, at('condition')), value);
const guards = (value: unknown) => field('routing.when', 'Ways', written.guards(value, at('routing', 'when')), value);
const calls = (value: unknown) => field('tools', 'Tools', { kind: 'tool_calls' }, value);
const questions = (value: unknown) => field('questions', 'Asked before a run', { kind: 'questions' }, value);
const NEEDED = { field: 'status', operator: 'equals', value: 'DONE' };

function open(...fields: FormField[]) {
  const onedit = vi.fn(async (): Promise<string | null> => null);
  const onjudge = vi.fn(async (_edits: unknown, _own?: string): Promise<string | null> => null);
  const onsource = vi.fn();
  const names = (...all: string[]) => all.map((one): [string, string] => [one, one]);
  const known = [
    {
      of: 'step' as const,
      names: [['send', 'Send it'] as [string, string], ['check', 'Check it'] as [string, string]],
    },
    { of: 'field' as const, names: names('status', 'verdict') },
    { of: 'tool' as const, names: names('readTextFile') },
  ];
  const reported = [
    { field: 'status', values: ['OK', 'NO'] },
    { field: 'verdict', values: ['true', 'false'] },
  ];
  const form = { kind: 'work', label: 'Work', fields };
  const props = { form, known, reported, disabled: false, onedit, onjudge, onsource };
  const { rerender } = render(Form, props);
  /** What was written, the last time. */
  const written = () => (onedit.mock.lastCall as unknown[] | undefined)?.[0];
  const be = ({
    fields: other,
    ...more
  }: { fields?: FormField[] } & Pick<ComponentProps<typeof Form>, 'problems' | 'undo' | 'ungated'> & {
      disabled?: boolean;
    }) =>
    rerender({
      ...props,
      ...more,
      form: { ...form, fields: (other ?? fields).map((one) => ({ ...one })) },
      disabled: more.disabled ?? false,
    });
  return { onedit, onjudge, onsource, written, be, user: userEvent.setup() };
}
/** What the form says is wrong with a field. */
const told = (message: string) => ({ code: 'GH0504', severity: 'error', message, place: at() }) as FormField['problem'];
/** What a text field offers. */
const offered = (input: HTMLElement) =>
  [...document.querySelectorAll(`#${CSS.escape(input.getAttribute('list') ?? '')} option`)].map((one) =>
    one.getAttribute('value'),
  );

describe('a condition', () => {
  it('is written as a whole when its last piece is there', async () => {
    const { onedit, user } = open(line(null));
    await user.type(screen.getByLabelText('Reported field'), 'verdict');
    expect(screen.getByLabelText('Comparison')).toHaveDisplayValue('is');
    await user.tab();
    expect(screen.getByLabelText('Comparison')).toHaveFocus();
    expect(onedit).not.toHaveBeenCalled();
    await user.tab();
    expect(screen.getByLabelText('Value')).toHaveAccessibleDescription('Not saved yet: a value is missing.');
    expect(offered(screen.getByLabelText('Value'))).toEqual(['true', 'false']);
    await user.keyboard('true{Enter}');
    expect(onedit).toHaveBeenCalledExactlyOnceWith(
      [{ kind: 'set', place: at('condition'), value: { field: 'verdict', operator: 'equals', value: true } }],
      'Goes to “Send it” when',
    );
  });

  it('changes by one piece', async () => {
    const { written, be, user } = open(line(NEEDED));
    await user.selectOptions(screen.getByLabelText('Comparison'), 'is reported');
    expect(written()).toEqual([
      { kind: 'set', place: at('condition', 'operator'), value: 'exists' },
      { kind: 'remove', place: at('condition', 'value') },
    ]);
    expect(screen.queryByLabelText('Value')).toBeNull();
    await be({});
    await user.clear(screen.getByLabelText('Value'));
    await user.type(screen.getByLabelText('Value'), 'OK{Enter}');
    expect(written()).toEqual([{ kind: 'set', place: at('condition', 'value'), value: 'OK' }]);
  });

  it('asks for a number where more and less are compared', async () => {
    const { onedit, written, user } = open(line({ field: 'score', operator: 'gte', value: 1 }));
    const input = screen.getByLabelText('Value');
    await user.clear(input);
    await user.type(input, 'many{Enter}');
    expect(onedit).not.toHaveBeenCalled();
    expect(input).toHaveAccessibleDescription('Write a number');
    await user.clear(input);
    await user.type(input, '0.5{Enter}');
    expect(written()).toEqual([{ kind: 'set', place: at('condition', 'value'), value: 0.5 }]);
  });

  it('of a list takes what was reported by a click', async () => {
    const { written, user } = open(line({ field: 'status', operator: 'in', value: ['OK'] }));
    expect(screen.getByLabelText('Value')).toHaveValue('OK');
    await user.click(screen.getByRole('button', { name: 'Add NO' }));
    expect(written()).toEqual([{ kind: 'set', place: at('condition', 'value', '1'), value: 'NO' }]);
  });

  it('goes with its field, or by a button', async () => {
    const { onedit, written, be, user } = open(line(NEEDED));
    await user.clear(screen.getByLabelText('Reported field'));
    await user.tab();
    expect(written()).toEqual([{ kind: 'remove', place: at('condition') }]);
    await be({});
    onedit.mockClear();
    await user.click(screen.getByRole('button', { name: 'Always' }));
    expect(written()).toEqual([{ kind: 'remove', place: at('condition') }]);
  });

  it('is an expression for those who want it; until one is there nothing is lost', async () => {
    const { onedit, written, user } = open(line(NEEDED));
    await user.click(screen.getByRole('button', { name: 'As an expression' }));
    const input = screen.getByLabelText('Expression');
    expect(input).toHaveFocus();
    await user.tab();
    expect(onedit).not.toHaveBeenCalled();
    await user.type(input, 'cost > 5');
    await user.tab();
    expect(written()).toEqual([{ kind: 'set', place: at('condition'), value: 'cost > 5' }]);
  });

  it('that is an expression is shown as one, and can be chosen instead', async () => {
    const { written, user } = open(line('cost > 5'));
    expect(screen.getByLabelText('Expression')).toHaveValue('cost > 5');
    await user.click(screen.getByRole('button', { name: 'Choose instead' }));
    expect(screen.getByText('cost > 5', { selector: 'code' })).toBeVisible();
    await user.type(screen.getByLabelText('Reported field'), 'status');
    await user.type(screen.getByLabelText('Value'), 'DONE{Enter}');
    expect(written()).toEqual([{ kind: 'set', place: at('condition'), value: NEEDED }]);
  });

  it('that is refused stays as it was typed, and is not sent again by being left', async () => {
    const { onedit, user } = open(line(NEEDED));
    onedit.mockResolvedValue('This `x` cannot be.');
    const input = screen.getByLabelText('Value');
    await user.type(input, 'x{Enter}');
    expect(input).toHaveValue('DONEx');
    expect(input).toHaveAccessibleDescription('This x cannot be.');
    await user.tab();
    expect(onedit).toHaveBeenCalledOnce();
    await user.type(input, '{Escape}');
    expect(input).toHaveValue('DONE');
  });

  describe('typed as an expression', () => {
    const set = (value: string) => [{ kind: 'set', place: at('condition'), value }];

    it('is looked at when nobody types on, and nothing is written', async () => {
      const { onedit, onjudge, user } = open(line('cost > 5'));
      onjudge.mockImplementation(async (edits) =>
        JSON.stringify(edits).includes('cost >"') ? 'It `ends` too early.' : null,
      );
      const input = screen.getByLabelText('Expression');
      await user.clear(input);
      await user.type(input, 'cost >');
      await vi.waitFor(() => expect(input).toHaveAccessibleDescription('It ends too early.'));
      expect(onjudge).toHaveBeenCalledExactlyOnceWith(set('cost >'), undefined);
      await user.type(input, ' 7');
      await vi.waitFor(() => expect(input).not.toHaveAccessibleDescription('It ends too early.'));
      expect(onedit).not.toHaveBeenCalled();
      await user.keyboard('{Control>}{Enter}{/Control}');
      expect(onedit).toHaveBeenCalledExactlyOnceWith(set('cost > 7'), 'Goes to “Send it” when');
    });

    it('says nothing of what was typed before, nor what is wrong with what is written', async () => {
      const own = 'This condition cannot be carried out.';
      const { onjudge, user } = open({ ...line('cost >'), problem: { severity: 'error', message: own } as never });
      expect(screen.getByText(own)).toBeVisible();
      let answer: (found: string) => void = () => {};
      onjudge.mockImplementationOnce(() => new Promise((done) => (answer = done)));
      const input = screen.getByLabelText('Expression');
      await user.type(input, ' =');
      expect(screen.queryByText(own)).toBeNull();
      await vi.waitFor(() => expect(onjudge).toHaveBeenCalledExactlyOnceWith(set('cost > ='), own));
      await user.type(input, '{Backspace}5');
      answer('It cannot be.');
      await vi.waitFor(() => expect(onjudge).toHaveBeenCalledTimes(2));
      expect(screen.queryByText('It cannot be.')).toBeNull();
      await user.keyboard('{Escape}');
      expect(screen.getByText(own)).toBeVisible();
    });

    it('for another way is looked at before it leads anywhere', async () => {
      const { onjudge, onedit, user } = open(guards([{ condition: 'cost > 5', next: 'check' }]));
      onjudge.mockResolvedValue('It cannot be.');
      const another = within(screen.getByRole('group', { name: 'Another way' }));
      await user.click(another.getByRole('button', { name: 'As an expression' }));
      await user.type(another.getByLabelText('Expression'), 'x ==');
      await vi.waitFor(() => expect(another.getByText('It cannot be.')).toBeVisible());
      expect(onjudge.mock.lastCall?.[0]).toEqual([
        { kind: 'set', place: at('routing', 'when', '0', 'condition'), value: 'x ==' },
      ]);
      expect(onedit).not.toHaveBeenCalled();
    });
  });

  it('for another way is not added where it is known to be wrong', async () => {
    const { onjudge, onedit, user } = open(guards([{ condition: 'cost > 5', next: 'check' }]));
    onjudge.mockImplementation(async (edits) => (JSON.stringify(edits).includes(' and ') ? 'It cannot be.' : null));
    const another = within(screen.getByRole('group', { name: 'Another way' }));
    await user.click(another.getByRole('button', { name: 'As an expression' }));
    const input = another.getByLabelText('Expression');
    await user.type(input, 'a < 2 and b');
    await user.selectOptions(another.getByLabelText('Leads to'), 'Check it');
    await user.click(another.getByRole('button', { name: 'Add' }));
    await vi.waitFor(() => expect(another.getByText('It cannot be.')).toBeVisible());
    expect(onedit).not.toHaveBeenCalled();
    expect(input).toHaveValue('a < 2 and b');
    await user.clear(input);
    await user.type(input, 'a < 2');
    await user.click(another.getByRole('button', { name: 'Add' }));
    await vi.waitFor(() => expect(onedit).toHaveBeenCalledOnce());
  });

  describe('that was written and is wrong', () => {
    const WRONG = 'This condition cannot be carried out: it ends too early.';
    const wrongAt = (...path: string[]) => ({ severity: 'error', message: WRONG, at: at(...path) }) as ProblemView;
    const two = (first: string) =>
      guards([
        { condition: first, next: 'check' },
        { condition: 'cost > 1', next: 'send' },
      ]);
    const nth = (n: number) => within(screen.getByRole('group', { name: `Way ${n}` }));

    it('says so at the field of its way, keeps what was typed, and is taken back by a button', async () => {
      const run = vi.fn(async () => {});
      const { onedit, be, user } = open(two('cost > 5'));
      await be({ undo: { entry: 'e1', run } });
      const input = nth(1).getByLabelText('Expression');
      await user.clear(input);
      await user.type(input, 'cost >');
      onedit.mockImplementationOnce(async () => {
        const fields = [{ ...two('cost >'), problem: told(WRONG) }];
        await be({ fields, problems: [wrongAt('routing', 'when', '0', 'condition')], undo: { entry: 'e2', run } });
        return null;
      });
      await user.keyboard('{Control>}{Enter}{/Control}');
      await vi.waitFor(() => expect(input).toBeInvalid());
      expect(input).toHaveAccessibleDescription(WRONG);
      expect(input).toHaveValue('cost >');
      expect(nth(2).getByLabelText('Expression')).toBeValid();
      // Once, where it belongs.
      expect(screen.getAllByText(WRONG)).toHaveLength(1);
      await user.click(await nth(1).findByRole('button', { name: 'Undo' }));
      expect(run).toHaveBeenCalledOnce();
      expect(input).toHaveFocus();
    });

    it('offers no way back from another change', async () => {
      const run = vi.fn(async () => {});
      const { onedit, be, user } = open(line('cost > 5'));
      await be({ undo: { entry: 'e1', run } });
      const fields = [{ ...line('cost >'), problem: told(WRONG) }];
      onedit.mockImplementationOnce(async () => {
        await be({ fields, undo: { entry: 'e2', run } });
        return null;
      });
      const input = screen.getByLabelText('Expression');
      await user.clear(input);
      await user.type(input, 'cost >');
      await user.keyboard('{Control>}{Enter}{/Control}');
      expect(await screen.findByRole('button', { name: 'Undo' })).toBeVisible();
      await be({ fields, undo: { entry: 'e3', run } });
      await vi.waitFor(() => expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull());
      expect(input).toHaveAccessibleDescription(WRONG);
    });

    it('is told with what is wrong with its own way while another one is typed', async () => {
      const { onjudge, be, user } = open(two('cost >'));
      await be({ problems: [wrongAt('routing', 'when', '0', 'condition')] });
      await user.type(nth(1).getByLabelText('Expression'), ' =');
      expect(screen.queryByText(WRONG)).toBeNull();
      await vi.waitFor(() => expect(onjudge.mock.lastCall?.[1]).toBe(WRONG));
      await user.type(nth(2).getByLabelText('Expression'), '0');
      await vi.waitFor(() => expect(onjudge.mock.lastCall?.[0]).toMatchObject([{ value: 'cost > 10' }]));
      expect(onjudge.mock.lastCall?.[1]).toBeUndefined();
    });

    it('says of a way that leads nowhere so where it leads', async () => {
      const { be } = open(two('cost > 5'));
      await be({ problems: [wrongAt('routing', 'when', '1', 'next')] });
      expect(nth(2).getByLabelText('Leads to')).toHaveAccessibleDescription(WRONG);
      expect(nth(2).getByLabelText('Expression')).toBeValid();
    });
  });

  it('of more than three pieces is left to the source', async () => {
    const { onsource, user } = open(line({ all: [] }));
    await user.click(screen.getByRole('button', { name: 'Change it in the source' }));
    expect(onsource).toHaveBeenCalled();
  });

  it('offers the fields that were reported first', () => {
    open(line(null), field('routing.branch_field', 'By', { kind: 'reference', to: 'field' }, null));
    expect(offered(screen.getByLabelText('Reported field'))).toEqual(['status', 'verdict']);
    expect(offered(screen.getByLabelText('By'))).toEqual(['status', 'verdict']);
  });
});

describe('ways by conditions', () => {
  const TWO = [
    { condition: NEEDED, next: 'send' },
    { condition: 'cost > 5', next: 'check' },
  ];
  it('are conditions, each with where it leads', async () => {
    const { written, user } = open(guards(TWO));
    const [first, second] = [
      screen.getByRole('group', { name: 'Way 1' }),
      screen.getByRole('group', { name: 'Way 2' }),
    ];
    expect(within(first).getByLabelText('Value')).toHaveValue('DONE');
    expect(within(second).getByLabelText('Expression')).toHaveValue('cost > 5');
    await user.type(within(first).getByLabelText('Value'), '2{Enter}');
    expect(written()).toEqual([
      { kind: 'set', place: at('routing', 'when', '0', 'condition', 'value'), value: 'DONE2' },
    ]);
    await user.type(within(second).getByLabelText('Expression'), '0');
    await user.tab();
    expect(written()).toEqual([{ kind: 'set', place: at('routing', 'when', '1', 'condition'), value: 'cost > 50' }]);
    await user.selectOptions(within(second).getByLabelText('Leads to'), 'Send it');
    expect(written()).toEqual([{ kind: 'set', place: at('routing', 'when', '1', 'next'), value: 'send' }]);
  });

  it('come, move and go', async () => {
    const { written, be, user } = open(guards(TWO));
    await user.click(screen.getByRole('button', { name: 'Move way 1 down' }));
    expect(written()).toEqual([{ kind: 'move', place: at('routing', 'when', '0'), to: 1 }]);
    expect(screen.getByRole('button', { name: 'Move way 2 up' })).toHaveFocus();
    await user.click(screen.getByRole('button', { name: 'Remove way 2' }));
    expect(written()).toEqual([{ kind: 'remove', place: at('routing', 'when', '1') }]);
    expect(screen.getByRole('button', { name: 'Remove way 1' })).toHaveFocus();
    const other = within(screen.getByRole('group', { name: 'Another way' }));
    await user.type(other.getByLabelText('Reported field'), 'score');
    await user.selectOptions(other.getByLabelText('Comparison'), 'is at least');
    await user.type(other.getByLabelText('Value'), '1.5');
    expect(other.getByRole('button', { name: 'Add' })).toBeDisabled();
    await user.selectOptions(other.getByLabelText('Leads to'), 'Check it');
    await user.click(other.getByRole('button', { name: 'Add' }));
    expect(written()).toEqual([
      {
        kind: 'set',
        place: at('routing', 'when', '2'),
        value: { condition: { field: 'score', operator: 'gte', value: 1.5 }, next: 'check' },
      },
    ]);
    // Where somebody is asked first and says no, what was typed stays; it goes once it stands in the list.
    expect(other.getByLabelText('Reported field')).toHaveValue('score');
    await be({
      fields: [guards([...TWO, { condition: { field: 'score', operator: 'gte', value: 1.5 }, next: 'check' }])],
    });
    expect(within(screen.getByRole('group', { name: 'Another way' })).getByLabelText('Reported field')).toHaveValue('');
  });

  it('begin with a list, and leave an empty one', async () => {
    const { written, be, user } = open(guards(null));
    await user.click(screen.getByRole('button', { name: 'As an expression' }));
    await user.type(screen.getByLabelText('Expression'), 'a > 1');
    await user.selectOptions(screen.getByLabelText('Leads to'), 'Send it');
    await user.click(screen.getByRole('button', { name: 'Add' }));
    const list = [{ condition: 'a > 1', next: 'send' }];
    expect(written()).toEqual([{ kind: 'set', place: at('routing', 'when'), value: list }]);
    await be({ fields: [guards(list)] });
    await user.click(screen.getByRole('button', { name: 'Remove way 1' }));
    expect(written()).toEqual([{ kind: 'remove', place: at('routing', 'when', '0') }]);
  });
});

describe('what is typed in a row', () => {
  const way = (value: string, next: string) => ({ condition: { field: 'status', operator: 'equals', value }, next });
  const values = (value: Record<string, string>) =>
    field('routing.branches', 'Ways', written.values(value, at('routing', 'branches')), value);
  const said = () => toasts.list.map(({ text }) => text);
  beforeEach(() => {
    toasts.list = [];
  });

  it('stays in it where another way goes, and is written there when it is left', async () => {
    const { written, be, user } = open(guards([way('A', 'send'), way('B', 'check')]));
    await user.type(within(screen.getByRole('group', { name: 'Way 2' })).getByLabelText('Value'), 'B');
    await be({ fields: [guards([way('B', 'check')])] });
    expect(within(screen.getByRole('group', { name: 'Way 1' })).getByLabelText('Value')).toHaveValue('BB');
    await user.tab();
    await vi.waitFor(() =>
      expect(written()).toEqual([
        { kind: 'set', place: at('routing', 'when', '0', 'condition', 'value'), value: 'BB' },
      ]),
    );
    expect(said()).toEqual([]);
  });

  it('is written where it is left in the moment in which another way goes', async () => {
    for (const [before, after, label, edit] of [
      [
        guards([way('A', 'send'), way('B', 'check')]),
        guards([way('B', 'check')]),
        'Value',
        { kind: 'set', place: at('routing', 'when', '0', 'condition', 'value'), value: 'BB' },
      ],
      [
        values({ A: 'send', B: 'check' }),
        values({ B: 'check' }),
        'When',
        { kind: 'rename', place: at('routing', 'branches', 'B'), to: 'BB' },
      ],
    ] as const) {
      const { written, be, user } = open(before);
      const input = screen.getAllByLabelText(label)[1]!;
      await user.type(input, 'B');
      input.blur();
      await be({ fields: [after] });
      await vi.waitFor(() => expect(written()).toEqual([edit]));
      expect(said()).toEqual([]);
      cleanup();
    }
  });

  it('stays where somebody is asked about it and says no, and is not asked about again by being left', async () => {
    const goal = field('goal', 'Goal', { kind: 'text' }, '');
    for (const [one, label, shown] of [
      [guards([way('A', 'send')]), 'Value', 'AB'],
      [values({ A: 'send' }), 'When', 'AB'],
      [field('name', 'Name', { kind: 'text' }, 'A'), 'Name', 'AB'],
    ] as const) {
      const { onedit, user } = open(one, goal);
      onedit.mockResolvedValue('');
      const input = screen.getAllByLabelText(label)[0]!;
      await user.type(input, 'B');
      await user.click(screen.getByLabelText('Goal'));
      await vi.waitFor(() => expect(onedit).toHaveBeenCalledOnce());
      await new Promise((done) => setTimeout(done, 20));
      expect(input).toHaveValue(shown);
      expect(input).not.toBeInvalid();
      await user.click(input);
      await user.click(screen.getByLabelText('Goal'));
      await new Promise((done) => setTimeout(done, 20));
      expect(onedit).toHaveBeenCalledOnce();
      // Whoever insists is asked again.
      await user.type(input, '{Enter}');
      await vi.waitFor(() => expect(onedit).toHaveBeenCalledTimes(2));
      cleanup();
    }
  });

  it('of another one stays too, and is named', async () => {
    const goal = field('goal', 'Goal', { kind: 'text' }, '');
    const report = field('report', 'What it reports', { kind: 'key_value' }, { score: 5 });
    const { onedit, user } = open(report, goal);
    onedit.mockResolvedValue('');
    await user.type(screen.getByLabelText('Name'), 'status');
    await user.type(screen.getByLabelText('Value'), 'VERIFIED');
    await user.click(screen.getByLabelText('Goal'));
    await vi.waitFor(() => expect(said()).toEqual(['Not added: “status: VERIFIED” in “What it reports”.']));
    expect(screen.getByLabelText('Name')).toHaveValue('status');
  });

  it('says again where a way leads where somebody is asked about another step and says no', async () => {
    for (const one of [guards([way('A', 'send')]), values({ A: 'send' })]) {
      const { onedit, user } = open(one);
      let answer = (_said: string) => {};
      onedit.mockImplementation(() => new Promise((done) => (answer = done)));
      const leads = screen.getAllByLabelText('Leads to')[0]!;
      await user.selectOptions(leads, 'Check it');
      await vi.waitFor(() => expect(onedit).toHaveBeenCalledOnce());
      expect(leads).toHaveDisplayValue('Check it');
      answer('');
      await vi.waitFor(() => expect(leads).toHaveDisplayValue('Send it'));
      cleanup();
    }
  });

  it('and chosen goes back where somebody is asked about it and says no', async () => {
    const kind = field(
      'kind',
      'How it goes on',
      {
        kind: 'choice',
        options: [
          { value: 'a', label: 'One' },
          { value: 'b', label: 'Other' },
        ],
      },
      'a',
    );
    const flag = field('terminal', 'Needs a terminal', { kind: 'flag' }, false);
    const { onedit, user } = open(kind, flag);
    onedit.mockResolvedValue('');
    await user.selectOptions(screen.getByLabelText('How it goes on'), 'Other');
    await vi.waitFor(() => expect(screen.getByLabelText('How it goes on')).toHaveDisplayValue('One'));
    await user.click(screen.getByLabelText(/Needs a terminal/));
    await vi.waitFor(() => expect(screen.getByLabelText(/Needs a terminal/)).not.toBeChecked());
  });
});

describe('ways by values', () => {
  const branch = (value: unknown): FormField => ({
    ...field('routing.branches', 'Ways', written.values(value, at('routing', 'branches')), value),
    values_of: 'verdict',
  });
  it('offer what was reported of their field', () => {
    open(field('routing.branch_field', 'By', { kind: 'reference', to: 'field' }, 'verdict'), branch({ true: 'send' }), {
      ...field('routing.loop_success_values', 'Ends when it is', { kind: 'several' }, []),
      values_of: 'status',
    });
    expect(offered(screen.getAllByLabelText('When')[1]!)).toEqual(['false']);
    expect(offered(screen.getByTestId('field-routing.loop_success_values-new'))).toEqual(['OK', 'NO']);
  });

  it('do not take a value twice', async () => {
    const { onedit, written, user } = open(branch({ A: 'send', B: 'check' }));
    const input = screen.getAllByLabelText('When')[1]!;
    await user.clear(input);
    await user.type(input, 'A');
    await user.tab();
    expect(input).toHaveAccessibleDescription('This name is already used');
    expect(onedit).not.toHaveBeenCalled();
    await user.type(input, 'A');
    await user.tab();
    expect(written()).toEqual([{ kind: 'rename', place: at('routing', 'branches', 'B'), to: 'AA' }]);
  });
});

describe('another one', () => {
  const reports = (value: unknown) => field('report', 'What it reports', { kind: 'key_value' }, value);
  const goal = field('goal', 'Goal', { kind: 'text' }, '');
  const said = () => toasts.list.map(({ text }) => text);
  beforeEach(() => {
    toasts.list = [];
  });

  it('is added by Enter in its last field, once', async () => {
    const { onedit, user } = open(reports(null));
    await user.type(screen.getByLabelText('Name'), 'status');
    await user.tab();
    await user.keyboard('VERIFIED{Enter}');
    const set = [{ kind: 'set', place: at('report'), value: { status: 'VERIFIED' } }];
    await vi.waitFor(() => expect(onedit).toHaveBeenCalledExactlyOnceWith(set, 'What it reports'));
    await vi.waitFor(() => expect(screen.getByLabelText('Value')).toHaveValue(''));
    await user.tab();
    cleanup();
    expect(onedit).toHaveBeenCalledOnce();
    expect(said()).toEqual([]);
  });

  it('is added when it is left, and the focus stays where it went', async () => {
    const { onedit, user } = open(reports({ score: 5 }), goal);
    await user.type(screen.getByLabelText('Name'), 'status');
    await user.type(screen.getByLabelText('Value'), 'VERIFIED');
    expect(onedit).not.toHaveBeenCalled();
    await user.click(screen.getByLabelText('Goal'));
    const set = [{ kind: 'set', place: at('report', 'status'), value: 'VERIFIED' }];
    await vi.waitFor(() => expect(onedit).toHaveBeenCalledExactlyOnceWith(set, 'What it reports'));
    await vi.waitFor(() => expect(screen.getByLabelText('Value')).toHaveValue(''));
    expect(screen.getByLabelText('Goal')).toHaveFocus();
    expect(said()).toEqual([]);
  });

  it('that is not complete says so when it is left, and what was typed stays', async () => {
    const { onedit, user } = open(reports(null), goal);
    await user.type(screen.getByLabelText('Name'), 'status{Enter}');
    await user.click(screen.getByLabelText('Goal'));
    await vi.waitFor(() => expect(said()).toEqual(['Not added: “status” in “What it reports”.']));
    expect(screen.getByLabelText('Name')).toHaveValue('status');
    cleanup();
    expect(said()).toEqual(['Not added: “status” in “What it reports”.']);
    expect(onedit).not.toHaveBeenCalled();
  });

  it('that is refused is not sent again by being left, and is named when it goes', async () => {
    const { onedit, user } = open(reports(null), goal);
    onedit.mockResolvedValue('It cannot be.');
    await user.type(screen.getByLabelText('Name'), 'status');
    await user.type(screen.getByLabelText('Value'), 'NO{Enter}');
    await vi.waitFor(() => expect(screen.getByText('It cannot be.')).toBeVisible());
    await user.click(screen.getByLabelText('Goal'));
    await new Promise((done) => setTimeout(done, 20));
    expect(onedit).toHaveBeenCalledOnce();
    cleanup();
    expect(said()).toEqual(['Not added: “status: NO” in “What it reports”.']);
  });

  it('of ways by conditions is added when it is left, or named', async () => {
    const { onedit, be, user } = open(guards(null), goal);
    await user.type(screen.getByLabelText('Reported field'), 'status');
    await user.type(screen.getByLabelText('Value'), 'DONE');
    await user.click(screen.getByLabelText('Goal'));
    await vi.waitFor(() => expect(said()).toEqual(['Not added: “status is DONE” in “Ways”.']));
    expect(onedit).not.toHaveBeenCalled();
    await user.selectOptions(screen.getByLabelText('Leads to'), 'Check it');
    await user.click(screen.getByLabelText('Goal'));
    const way = { condition: NEEDED, next: 'check' };
    const set = [{ kind: 'set', place: at('routing', 'when'), value: [way] }];
    await vi.waitFor(() => expect(onedit).toHaveBeenCalledExactlyOnceWith(set, 'Ways'));
    toasts.list = [];
    await be({ fields: [guards([way]), goal] });
    expect(screen.getByLabelText('Goal')).toHaveFocus();
    cleanup();
    expect(said()).toEqual([]);
  });

  it('of ways by conditions is added by Enter where it leads', async () => {
    const { onedit, user } = open(guards(null));
    await user.type(screen.getByLabelText('Reported field'), 'status');
    await user.type(screen.getByLabelText('Value'), 'DONE');
    await user.selectOptions(screen.getByLabelText('Leads to'), 'Check it');
    screen.getByLabelText('Leads to').focus();
    await user.keyboard('{Enter}');
    await vi.waitFor(() => expect(onedit).toHaveBeenCalledOnce());
  });

  it('of ways by values is added when it is left', async () => {
    const values = written.values(null, at('routing', 'branches'));
    const { onedit, user } = open(field('routing.branches', 'Ways', values, null), goal);
    await user.type(screen.getByLabelText('When'), 'DONE');
    await user.selectOptions(screen.getByLabelText('Leads to'), 'Check it');
    await user.click(screen.getByLabelText('Goal'));
    const set = [{ kind: 'set', place: at('routing', 'branches'), value: { DONE: 'check' } }];
    await vi.waitFor(() => expect(onedit).toHaveBeenCalledExactlyOnceWith(set, 'Ways'));
    cleanup();
    expect(said()).toEqual([]);
  });
});

describe('tool calls', () => {
  const READ = { name: 'readTextFile', args: { path: 'a.md', deep: { x: 1 } }, required: true };
  it('change by one key', async () => {
    const { written, onsource, user } = open(calls([READ]));
    await user.click(screen.getByRole('button', { name: /^readTextFile/ }));
    const call = within(screen.getByRole('group', { name: 'readTextFile' }));
    expect(offered(call.getByLabelText('Tool'))).toEqual(['readTextFile']);
    await user.selectOptions(call.getByLabelText('Risk'), 'High');
    expect(written()).toEqual([{ kind: 'set', place: at('tools', '0', 'risk'), value: 'high' }]);
    await user.click(call.getByLabelText('If the tool fails, the step fails'));
    expect(written()).toEqual([{ kind: 'remove', place: at('tools', '0', 'required') }]);
    await user.type(call.getByLabelText('path'), 'x');
    await user.tab();
    expect(written()).toEqual([{ kind: 'set', place: at('tools', '0', 'args', 'path'), value: 'a.mdx' }]);
    await user.type(call.getByLabelText('Name'), 'lines');
    await user.type(call.getByLabelText('Value'), '5');
    await user.click(call.getByRole('button', { name: 'Add' }));
    expect(written()).toEqual([{ kind: 'set', place: at('tools', '0', 'args', 'lines'), value: 5 }]);
    await user.click(call.getByRole('button', { name: 'Change it in the source' }));
    expect(onsource).toHaveBeenCalled();
  });

  it('have a name', async () => {
    const { onedit, user } = open(calls([READ]));
    await user.click(screen.getByRole('button', { name: /^readTextFile/ }));
    const input = screen.getAllByLabelText('Tool')[0]!;
    await user.clear(input);
    await user.tab();
    expect(input).toHaveAccessibleDescription('Write a name');
    expect(onedit).not.toHaveBeenCalled();
  });

  it('that are a name alone become a block with the second field', async () => {
    const { written, user } = open(calls(['getCurrentTime']));
    await user.click(screen.getByRole('button', { name: 'getCurrentTime' }));
    const call = within(screen.getByRole('group', { name: 'getCurrentTime' }));
    await user.type(call.getByLabelText('Tool'), '2{Enter}');
    expect(written()).toEqual([{ kind: 'set', place: at('tools', '0'), value: 'getCurrentTime2' }]);
    await user.selectOptions(call.getByLabelText('Risk'), 'Low');
    expect(written()).toEqual([
      { kind: 'set', place: at('tools', '0'), value: { name: 'getCurrentTime', risk: 'low' } },
    ]);
  });

  it('come, move and go', async () => {
    const { written, user } = open(calls([READ, 'getCurrentTime']));
    await user.type(screen.getByTestId('field-tools-new'), 'listFiles{Enter}');
    expect(written()).toEqual([{ kind: 'set', place: at('tools', '2'), value: { name: 'listFiles' } }]);
    await user.click(screen.getByRole('button', { name: 'Move getCurrentTime up' }));
    expect(written()).toEqual([{ kind: 'move', place: at('tools', '1'), to: 0 }]);
    await user.click(screen.getByRole('button', { name: 'Remove readTextFile' }));
    expect(written()).toEqual([{ kind: 'remove', place: at('tools', '0') }]);
  });

  it('begin with a list, and end with it', async () => {
    const { written, be, user } = open(calls(null));
    await user.type(screen.getByTestId('field-tools-new'), 'listFiles{Enter}');
    expect(written()).toEqual([{ kind: 'set', place: at('tools'), value: [{ name: 'listFiles' }] }]);
    await be({ fields: [calls([{ name: 'listFiles' }])] });
    expect(screen.getByRole('button', { name: 'listFiles' })).toHaveAttribute('aria-expanded', 'true');
    await user.click(screen.getByRole('button', { name: 'Remove listFiles' }));
    expect(written()).toEqual([{ kind: 'remove', place: at('tools') }]);
  });
});

describe('questions', () => {
  const openOne = async (user: ReturnType<typeof userEvent.setup>, name: string) => {
    const entry = within(screen.getByRole('group', { name }));
    await user.click(entry.getAllByRole('button')[0]!);
    return entry;
  };
  it('change by one key', async () => {
    const { written, user } = open(questions([{ name: 'topic', label: 'What about?', kind: 'text' }]));
    const one = await openOne(user, 'What about?');
    await user.selectOptions(one.getByLabelText('Kind of answer'), 'One of several');
    expect(written()).toEqual([{ kind: 'set', place: at('questions', '0', 'kind'), value: 'choice' }]);
    await user.click(one.getByLabelText('It must be answered'));
    expect(written()).toEqual([{ kind: 'set', place: at('questions', '0', 'required'), value: true }]);
    await user.type(one.getByLabelText('The answer that is offered'), '5{Enter}');
    expect(written()).toEqual([{ kind: 'set', place: at('questions', '0', 'default'), value: '5' }]);
    await user.type(one.getByLabelText('Name'), 's{Enter}');
    expect(written()).toEqual([{ kind: 'set', place: at('questions', '0', 'name'), value: 'topics' }]);
  });

  it.each([
    ['number', '5', 5],
    ['flag', 'no', false],
    ['choice', 'b', 'b'],
  ])('of the kind %s offer such an answer', async (kind, answer, value) => {
    const { written, user } = open(questions([{ name: 'topic', kind, options: kind === 'choice' ? ['a', 'b'] : [] }]));
    const one = await openOne(user, 'topic');
    const input = one.getByLabelText('The answer that is offered');
    if (input instanceof HTMLSelectElement) await user.selectOptions(input, answer);
    else await user.type(input, `${answer}{Enter}`);
    expect(written()).toEqual([{ kind: 'set', place: at('questions', '0', 'default'), value }]);
  });

  it('with another word for their kind keep it', async () => {
    const { written, user } = open(questions([{ name: 'n', type: 'integer' }]));
    const one = await openOne(user, 'n');
    expect(one.getByLabelText('Kind of answer')).toHaveDisplayValue('integer');
    await user.type(one.getByLabelText('The answer that is offered'), '5{Enter}');
    expect(written()).toEqual([{ kind: 'set', place: at('questions', '0', 'default'), value: 5 }]);
    await user.selectOptions(one.getByLabelText('Kind of answer'), 'A day');
    expect(written()).toEqual([{ kind: 'set', place: at('questions', '0', 'type'), value: 'date' }]);
  });

  it('come, move and go', async () => {
    const { written, user } = open(questions([{ name: 'a' }, 'b']));
    await user.type(screen.getByTestId('field-questions-new'), 'a');
    expect(screen.getByTestId('field-questions-new')).toHaveAccessibleDescription('This name is already used');
    await user.type(screen.getByTestId('field-questions-new'), 'c');
    await user.type(screen.getByLabelText('What is asked'), 'See?{Enter}');
    expect(written()).toEqual([{ kind: 'set', place: at('questions', '2'), value: { name: 'ac', label: 'See?' } }]);
    await user.click(screen.getByRole('button', { name: 'Move a down' }));
    expect(written()).toEqual([{ kind: 'move', place: at('questions', '0'), to: 1 }]);
    await user.click(screen.getByRole('button', { name: 'Remove b' }));
    expect(written()).toEqual([{ kind: 'remove', place: at('questions', '1') }]);
  });

  it('can stand under their names', async () => {
    const { written, user } = open(questions({ a: 'What?', b: null, c: { label: 'C' } }));
    expect(screen.queryByRole('button', { name: /^Move/ })).toBeNull();
    const first = await openOne(user, 'What?');
    await user.type(first.getByLabelText('Name'), '2{Enter}');
    expect(written()).toEqual([{ kind: 'rename', place: at('questions', 'a'), to: 'a2' }]);
    await user.type(first.getByLabelText('What is asked'), '!{Enter}');
    expect(written()).toEqual([{ kind: 'set', place: at('questions', 'a'), value: 'What?!' }]);
    await user.click(first.getByLabelText('It must be answered'));
    expect(written()).toEqual([
      { kind: 'set', place: at('questions', 'a'), value: { label: 'What?', required: true } },
    ]);
    const last = await openOne(user, 'C');
    await user.type(last.getByLabelText('Name'), '{Backspace}a{Enter}');
    expect(last.getByLabelText('Name')).toHaveAccessibleDescription(/This name is already used/);
    await user.type(screen.getByTestId('field-questions-new'), 'd{Enter}');
    expect(written()).toEqual([{ kind: 'set', place: at('questions', 'd'), value: {} }]);
  });
});

describe('a form', () => {
  const gate = (name: string, label: string, value: unknown): FormField => ({
    ...field(name, label, { kind: 'text' }, value),
    section: 'gate',
  });
  const GATE = [gate('human_gate', 'Ask a person', ''), gate('gate_question', 'Question', 'May it go?')];

  it('folds what is written of a gate where nobody is asked', async () => {
    const { be, user } = open(...GATE);
    expect(screen.getByLabelText('Question')).toBeVisible();
    expect(screen.queryByTestId('form-ungated')).toBeNull();
    await be({ ungated: true });
    expect(screen.getByLabelText('Ask a person')).toBeVisible();
    expect(screen.getByLabelText('Question')).not.toBeVisible();
    await user.click(screen.getByText('Nobody is asked at this step. What stands here counts only once somebody is.'));
    expect(screen.getByLabelText('Question')).toBeVisible();
  });

  it('hides nothing that is wrong, and folds nothing where there is nothing', async () => {
    const problem = told('It has no effect.');
    const { be } = open(GATE[0]!);
    await be({ ungated: true });
    expect(screen.queryByTestId('form-ungated')).toBeNull();
    await be({ ungated: true, fields: [GATE[0]!, { ...GATE[1]!, problem }] });
    expect(screen.getByText('It has no effect.')).toBeVisible();
  });

  it('never shows an example as if it were chosen', async () => {
    const of = (to: 'workflow' | 'agent', value: unknown) =>
      field(to, to, { kind: 'reference', to } as FormField['control'], value);
    open(of('workflow', null), of('agent', null));
    const workflow = screen.getByLabelText('workflow');
    expect(workflow).toHaveValue('');
    expect(workflow).toHaveAttribute('placeholder', 'Path, for example other.yaml');
    expect(screen.getByLabelText('agent')).toHaveAttribute('placeholder', 'nothing is filled in');
  });

  it('says at the field that a file which it names is not there', async () => {
    const { be, written, user } = open(
      field('workflow', 'Workflow', { kind: 'reference', to: 'workflow' }, 'other.yaml'),
    );
    expect(screen.getByLabelText('Workflow')).not.toHaveAttribute('data-missing');
    const message = 'There is no file `other.yaml` in the project';
    await be({ problems: [{ severity: 'error', message, at: at('workflow') } as ProblemView] });
    const input = screen.getByLabelText('Workflow');
    expect(input).toHaveAccessibleDescription(/There is no file other\.yaml/);
    expect(input).toHaveAttribute('data-missing');
    // It is no choice: what is typed goes in its place.
    await user.tab();
    expect(input).toHaveFocus();
    await user.keyboard('check.yaml{Enter}');
    await vi.waitFor(() => expect(written()).toMatchObject([{ kind: 'set', value: 'check.yaml' }]));
  });

  it('gives the focus back that closing it for a moment took', async () => {
    const { be } = open(line(NEEDED));
    const input = screen.getByLabelText('Value');
    input.focus();
    await be({ disabled: true });
    // What browsers do with a field that is disabled.
    input.blur();
    await be({ disabled: false });
    expect(input).toHaveFocus();
  });

  it.each([
    ['conditions', [line(NEEDED), line({ field: 'status', operator: 'in', value: ['OK'] })]],
    ['ways', [guards([{ condition: NEEDED, next: 'gone' }])]],
    ['tool calls', [calls([{ name: 'readTextFile', args: { path: 'x', tags: ['a'] } }, 'b'])]],
    ['questions', [questions([{ name: 'a', kind: 'choice', options: ['x'] }])]],
  ])('of %s can be used by whoever sees little', async (_, fields) => {
    const { user } = open(...fields.map((one, i) => ({ ...one, place: at(`${i}`) })));
    const first = document.querySelector('[aria-expanded]');
    if (first) await user.click(first);
    expect(await findings(document.body)).toEqual([]);
  });
});
