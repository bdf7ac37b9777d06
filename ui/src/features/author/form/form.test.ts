import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import type { FormField } from '$lib/api';
import { findings } from '$lib/axe';
import { toasts } from '$lib/ui/toasts.svelte';
import Form from '../__fixtures__/FramedForm.svelte';
import { condition, values } from '../__fixtures__/written';

const at = (...path: string[]) => ({ step: 1, path });
const field = (more: Partial<FormField>): FormField => ({
  name: 'routing.max_iterations',
  label: 'Times back at most',
  section: 'flow',
  help: '',
  control: { kind: 'number', min: 1, max: 100, whole: true },
  place: at('routing', 'max_iterations'),
  value: 5,
  default: 5,
  ...more,
});

function open(...fields: FormField[]) {
  const onedit = vi.fn(async (): Promise<string | null> => null);
  const known = [
    {
      of: 'step' as const,
      names: [
        ['send', 'Send it'],
        ['check', 'Check it'],
      ] as [string, string][],
    },
    { of: 'agent' as const, names: [['ann', 'ann']] as [string, string][] },
  ];
  const form = { kind: 'work', label: 'Work', fields };
  render(Form, { form, known, disabled: false, onedit, onsource: vi.fn() });
  return { onedit, user: userEvent.setup() };
}

describe('a number', () => {
  it('is sent as a number, on Enter', async () => {
    const { onedit, user } = open(field({}));
    const input = screen.getByLabelText('Times back at most');
    await user.clear(input);
    await user.type(input, '7{Enter}');
    expect(onedit).toHaveBeenCalledWith([{ kind: 'set', place: field({}).place, value: 7 }], 'Times back at most');
  });

  it.each(['0', '101', '2.5', 'many'])('%s is refused, and it is said what is accepted', async (text) => {
    const { onedit, user } = open(field({}));
    const input = screen.getByLabelText('Times back at most');
    await user.clear(input);
    await user.type(input, `${text}{Enter}`);
    expect(onedit).not.toHaveBeenCalled();
    expect(input).toHaveAccessibleDescription(/Write a (whole )?number/);
  });

  it('comes back on Escape', async () => {
    const { onedit, user } = open(field({}));
    const input = screen.getByLabelText('Times back at most');
    await user.type(input, '9{Escape}');
    expect(input).toHaveValue('5');
    await user.tab();
    expect(onedit).not.toHaveBeenCalled();
  });
});

it('a step of a path can come again, one of a list of steps cannot', async () => {
  const list = (name: string, again: boolean) =>
    field({ name, label: name, control: { kind: 'several', of: 'step', again }, place: at(name), value: ['check'] });
  const { onedit, user } = open(list('path', true), list('targets', false));
  const [path, targets] = ['path', 'targets'].map((name) => screen.getByRole('combobox', { name }));
  const offered = (box: HTMLElement | undefined) => [...(box as HTMLSelectElement).options].map(({ text }) => text);
  expect(offered(path)).toEqual(['Add…', 'Send it', 'Check it']);
  expect(offered(targets)).toEqual(['Add…', 'Send it']);
  await user.selectOptions(path!, 'Check it');
  await vi.waitFor(() =>
    expect(onedit).toHaveBeenCalledWith([{ kind: 'set', place: at('path', '1'), value: 'check' }], 'path'),
  );
});

it('what stands in a field that is taken away is not written, and stands there again', async () => {
  const given = field({ name: 'name', label: 'Name', control: { kind: 'text' }, value: 'Pay' });
  const onedit = vi.fn(async (): Promise<string | null> => null);
  const form = { kind: 'work', label: 'Work', fields: [given] };
  const props = { form, known: [], owner: 'pay.yaml/pay', disabled: false, onedit, onsource: vi.fn() };
  const first = render(Form, props);
  const user = userEvent.setup();
  await user.clear(screen.getByLabelText('Name'));
  await user.type(screen.getByLabelText('Name'), 'Half typed');
  // A browser tells of a field that it is left when it is taken away.
  void fireEvent.blur(screen.getByLabelText('Name'));
  first.unmount();
  await new Promise((done) => setTimeout(done, 20));
  expect(onedit).not.toHaveBeenCalled();
  expect(toasts.list.at(-1)?.text).toContain('Not saved: “Half typed” in “Name”');

  const other = render(Form, { ...props, owner: 'pay.yaml/send' });
  expect(screen.getByLabelText('Name')).toHaveValue('Pay');
  other.unmount();
  render(Form, props);
  expect(screen.getByLabelText('Name')).toHaveValue('Half typed');
  await user.type(screen.getByLabelText('Name'), '{Enter}');
  expect(onedit).toHaveBeenCalledWith([{ kind: 'set', place: given.place, value: 'Half typed' }], 'Name');
});

it('what another program wrote while somebody typed is not overwritten before they have seen it', async () => {
  const given = field({
    name: 'role',
    label: 'What it does',
    control: { kind: 'text' } as FormField['control'],
    value: 'Pays.',
  });
  const onedit = vi.fn(async (): Promise<string | null> => null);
  const props = { known: [], disabled: false, onedit, onsource: vi.fn() };
  const form = (value: string) => ({ kind: 'work', label: 'Work', fields: [{ ...given, value }] });
  const { rerender } = render(Form, { form: form('Pays.'), ...props });
  const user = userEvent.setup();
  const input = screen.getByLabelText('What it does');
  await user.clear(input);
  await user.type(input, 'Pays now.');
  await rerender({ form: form('Pays when the bank has confirmed.'), ...props });
  await user.tab();
  expect(onedit).not.toHaveBeenCalled();
  expect(input).toHaveValue('Pays now.');
  expect(input).toHaveAccessibleDescription(/“Pays when the bank has confirmed\.” was written here meanwhile\./);
  // Whoever has seen it may write over it.
  await user.type(input, '{Enter}');
  expect(onedit).toHaveBeenCalledWith([{ kind: 'set', place: given.place, value: 'Pays now.' }], 'What it does');
  // Or keep it.
  await rerender({ form: form('Pays now.'), ...props });
  await user.type(input, ' Or never.');
  await rerender({ form: form('Pays later.'), ...props });
  await user.tab();
  await user.type(input, '{Escape}');
  expect(input).toHaveValue('Pays later.');
  expect(onedit).toHaveBeenCalledOnce();
});

describe('what came meanwhile is not written over before it was seen', () => {
  const at1 = (...path: string[]) => ({ step: 1, path });
  function shows(...fields: FormField[]) {
    const onedit = vi.fn(async (): Promise<string | null> => null);
    const props = { known: [], disabled: false, onedit, onsource: vi.fn() };
    const form = (all: FormField[]) => ({ form: { kind: 'work', label: 'Work', fields: all }, ...props });
    const { rerender } = render(Form, form(fields));
    return { onedit, user: userEvent.setup(), be: (...now: FormField[]) => rerender(form(now)) };
  }
  async function overwrites(
    label: string,
    now: string,
    [before, after]: [FormField, FormField],
    said: RegExp,
    { open, write = '{Enter}' }: { open?: string; write?: string } = {},
  ) {
    const { onedit, user, be } = shows(before);
    if (open) await user.click(screen.getByRole('button', { name: open }));
    const input = screen.getByLabelText(label);
    await user.clear(input);
    await user.type(input, 'mine');
    await be(after);
    await user.tab();
    expect(onedit).not.toHaveBeenCalled();
    expect(input).toHaveValue('mine');
    expect(input).toHaveAccessibleDescription(said);
    await user.type(input, write);
    expect(onedit).toHaveBeenCalledOnce();
    // Or it is kept.
    onedit.mockClear();
    await user.type(input, '{Escape}');
    expect(input).toHaveValue(now);
  }

  it('in the value of a pair', async () => {
    const of = (a: string) =>
      field({ name: 'inputs', label: 'Reads', control: { kind: 'key_value' }, place: at1('inputs'), value: { a } });
    await overwrites('a', 'theirs', [of('one'), of('theirs')], /“theirs” was written here meanwhile/);
  });

  it('in the value of a way', async () => {
    const of = (when: string) => {
      const value = { [when]: 'send', OK: 'check' };
      const place = at1('routing', 'branches');
      return field({ name: 'routing.branches', label: 'Ways', control: values(value, place), place, value });
    };
    const { onedit, user, be } = shows(of('DONE'));
    const input = screen.getAllByLabelText('When')[0]!;
    await user.clear(input);
    await user.type(input, 'MINE');
    await be(of('THEIRS'));
    await user.tab();
    expect(onedit).not.toHaveBeenCalled();
    expect(input).toHaveValue('MINE');
    expect(input).toHaveAccessibleDescription(/“THEIRS” was written here meanwhile/);
    await user.type(input, '{Enter}');
    expect(onedit).toHaveBeenCalledWith(
      [{ kind: 'rename', place: at1('routing', 'branches', 'THEIRS'), to: 'MINE' }],
      'Ways',
    );
  });

  it('in a condition', async () => {
    const of = (text: string) => {
      const place = at1('condition');
      return field({ name: 'condition', label: 'When', control: condition(text, place), place, value: text });
    };
    await overwrites('Expression', 'cost > 9', [of('cost > 5'), of('cost > 9')], /“cost > 9” was written here/, {
      write: '{Control>}{Enter}{/Control}',
    });
  });

  it('in a row, also where another one has come to stand in its place', async () => {
    const of = (...names: string[]) =>
      field({
        name: 'tools',
        label: 'Tools',
        control: { kind: 'tool_calls' },
        place: at1('tools'),
        value: names.map((name) => ({ name })),
      });
    await overwrites(
      'Name of the question to a person',
      '',
      [of('read', 'write'), of('write', 'read')],
      /“write” has come to stand/,
      {
        open: 'read',
      },
    );
  });

  it('in a list nothing is written over: what is added goes behind what came', async () => {
    const of = (...value: string[]) =>
      field({ name: 'agents', label: 'Who', control: { kind: 'several' }, place: at1('agents'), value });
    const { onedit, user, be } = shows(of('ann'));
    await user.type(screen.getByTestId('field-agents-new'), 'mine');
    await be(of('ann', 'theirs'));
    await user.type(screen.getByTestId('field-agents-new'), '{Enter}');
    expect(onedit).toHaveBeenCalledWith([{ kind: 'set', place: at1('agents', '2'), value: 'mine' }], 'Who');
  });
});

it('what is refused is named when its field goes', async () => {
  toasts.list = [];
  const { user } = open(field({}));
  await user.type(screen.getByLabelText('Times back at most'), '00{Enter}');
  expect(toasts.list).toEqual([]);
  cleanup();
  expect(toasts.list.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^Not saved: “500” in “Times back at most”\. Write a/),
  ]);
});

it('what is refused stays in the field, with what is wrong with it, and is not sent again by leaving', async () => {
  const { onedit, user } = open(field({ label: 'Then', control: { kind: 'text' }, value: 'PASS: STOP' }));
  onedit.mockResolvedValue('`go` is no action.');
  const input = screen.getByLabelText('Then');
  await user.clear(input);
  await user.type(input, 'PASS: go{Enter}');
  expect(input).toHaveValue('PASS: go');
  expect(input).toHaveAccessibleDescription('go is no action.');
  expect(screen.getByText('go', { selector: 'code' })).toBeVisible();
  await user.tab();
  expect(onedit).toHaveBeenCalledOnce();
  await user.type(input, '{Escape}');
  expect(input).toHaveValue('PASS: STOP');
  expect(input).not.toHaveAccessibleDescription();
});

describe('other fields', () => {
  it('a name that cannot be added stays where it was typed', async () => {
    const { onedit, user } = open(
      field({ name: 'agents', label: 'Who', control: { kind: 'several', of: 'agent' }, value: [] }),
    );
    onedit.mockResolvedValue('There is nobody of that name.');
    await user.type(screen.getByTestId('field-agents-new'), 'nn{Enter}');
    expect(screen.getByTestId('field-agents-new')).toHaveValue('nn');
    expect(screen.getByText('There is nobody of that name.')).toBeVisible();
  });

  it('a choice that is nothing takes the field out', async () => {
    const { onedit, user } = open(
      field({
        name: 'human_gate',
        label: 'Ask a person',
        control: {
          kind: 'choice',
          options: [
            { value: '', label: 'No' },
            { value: 'required', label: 'Always' },
          ],
        },
        place: at('human_gate'),
        value: 'required',
        default: '',
      }),
    );
    await user.selectOptions(screen.getByLabelText('Ask a person'), '');
    expect(onedit).toHaveBeenCalledWith([{ kind: 'remove', place: at('human_gate') }], 'Ask a person');
  });

  it('a list of names grows by what is typed and loses what is taken away', async () => {
    const { onedit, user } = open(
      field({
        name: 'agents',
        label: 'Who does it',
        control: { kind: 'several', of: 'agent' },
        place: at('agents'),
        value: ['bob'],
      }),
    );
    await user.type(screen.getByTestId('field-agents-new'), 'ann{Enter}');
    expect(onedit).toHaveBeenLastCalledWith([{ kind: 'set', place: at('agents', '1'), value: 'ann' }], 'Who does it');
    await user.click(screen.getByRole('button', { name: 'Remove bob' }));
    expect(onedit).toHaveBeenLastCalledWith([{ kind: 'remove', place: at('agents') }], 'Who does it');
  });

  it('names with commas between them are as many names, each once', async () => {
    const control = { kind: 'several', of: 'agent' } as const;
    const { onedit, user } = open(
      field({ name: 'agents', label: 'Who', control, place: at('agents'), value: ['bob'] }),
      field({ name: 'ends', label: 'Ends', control: { kind: 'several' }, place: at('ends'), value: ['OK'] }),
    );
    await user.type(screen.getByTestId('field-agents-new'), 'ann, bob,, ann,cy{Enter}');
    const all = ['bob', 'ann', 'cy'];
    expect(onedit).toHaveBeenLastCalledWith([{ kind: 'set', place: at('agents'), value: all }], 'Who');
    // Nothing but what is there already changes nothing.
    await user.type(screen.getByTestId('field-agents-new'), 'bob, bob{Enter}');
    expect(onedit).toHaveBeenCalledOnce();
    expect(screen.getByTestId('field-agents-new')).toHaveValue('');
    // A text may have a comma in it.
    await user.type(screen.getByTestId('field-ends-new'), 'OK, with remarks{Enter}');
    expect(onedit).toHaveBeenLastCalledWith(
      [{ kind: 'set', place: at('ends', '1'), value: 'OK, with remarks' }],
      'Ends',
    );
  });

  it('a way leads to a step that is chosen by its name', async () => {
    const { onedit, user } = open(
      field({
        name: 'routing.branches',
        label: 'Ways',
        control: values({ DONE: 'send' }, at('routing', 'branches')),
        place: at('routing', 'branches'),
        value: { DONE: 'send' },
      }),
    );
    await user.selectOptions(screen.getAllByLabelText('Leads to')[0]!, 'check');
    expect(onedit).toHaveBeenLastCalledWith(
      [{ kind: 'set', place: at('routing', 'branches', 'DONE'), value: 'check' }],
      'Ways',
    );
  });

  it('all of them can be used by whoever sees little', async () => {
    open(
      field({}),
      field({
        name: 'next',
        label: 'Next step',
        control: { kind: 'reference', to: 'step' },
        place: at('next'),
        value: 'gone',
      }),
      field({
        name: 'inputs',
        label: 'Reads',
        section: 'files',
        control: { kind: 'key_value' },
        place: at('inputs'),
        value: { a: 'x' },
      }),
      field({
        name: 'terminal',
        label: 'Needs a terminal',
        section: 'limits',
        control: { kind: 'flag' },
        place: at('terminal'),
        value: null,
        default: false,
      }),
    );
    expect(screen.getByLabelText('Next step')).toHaveDisplayValue('gone (does not exist)');
    expect(await findings(document.body)).toEqual([]);
  });
});

describe('what follows an outcome', () => {
  const control: FormField['control'] = {
    kind: 'transition',
    options: [
      { value: 'FAIL: STOP', label: 'If it fails: the runbook stops' },
      { value: 'FAIL: GOTO 3', label: 'If it fails: go to 3 Publish' },
    ],
  };
  const line = (value: string | null, n = 0) =>
    field({
      name: 'transitions',
      label: 'What follows',
      help: 'An outcome and what follows.',
      control,
      place: at('transitions', `${n}`),
      value,
      default: 'PASS: CONTINUE',
    });

  it('is chosen in words', async () => {
    const { onedit, user } = open(line('FAIL: STOP'));
    const select = screen.getByRole('combobox', { name: 'What follows' });
    expect(select).toHaveDisplayValue('If it fails: the runbook stops');
    await user.selectOptions(select, 'If it fails: go to 3 Publish');
    expect(onedit).toHaveBeenLastCalledWith(
      [{ kind: 'set', place: at('transitions', '0'), value: 'FAIL: GOTO 3' }],
      'What follows',
    );
    expect(await findings(document.body)).toEqual([]);
  });

  it('a line that is none of them stands first, as it is, and can be taken out', async () => {
    const { onedit, user } = open(line('FAIL: RETRY 7 STOP'));
    const select = screen.getByRole('combobox', { name: 'What follows' });
    expect(select).toHaveDisplayValue('FAIL: RETRY 7 STOP');
    expect([...select.querySelectorAll('option')].map((one) => one.textContent)).toEqual([
      'FAIL: RETRY 7 STOP',
      'If it fails: the runbook stops',
      'If it fails: go to 3 Publish',
      'Nothing: take this line out',
    ]);
    await user.selectOptions(select, '');
    expect(onedit).toHaveBeenLastCalledWith([{ kind: 'remove', place: at('transitions', '0') }], 'What follows');
  });

  it('one more line begins with nothing', async () => {
    const { onedit, user } = open(line(null, 1));
    const select = screen.getByRole('combobox', { name: 'What follows' });
    expect(select).toHaveDisplayValue('…');
    await user.selectOptions(select, 'FAIL: STOP');
    expect(onedit).toHaveBeenLastCalledWith(
      [{ kind: 'set', place: at('transitions', '1'), value: 'FAIL: STOP' }],
      'What follows',
    );
  });

  it('is written by hand all the same', async () => {
    const { onedit, user } = open(line('FAIL: STOP'));
    await user.click(screen.getByTestId('field-transitions-write'));
    const input = screen.getByRole('textbox', { name: 'What follows' });
    expect(input).toHaveFocus();
    expect(input).toHaveValue('FAIL: STOP');
    expect(input).toHaveAccessibleDescription('An outcome and what follows.');
    await user.clear(input);
    await user.type(input, 'FAIL: RETRY 7 STOP{Enter}');
    expect(onedit).toHaveBeenLastCalledWith(
      [{ kind: 'set', place: at('transitions', '0'), value: 'FAIL: RETRY 7 STOP' }],
      'What follows',
    );
    await user.click(screen.getByTestId('field-transitions-choose'));
    expect(screen.getByRole('combobox', { name: 'What follows' })).toHaveFocus();
  });

  it('is typed where nothing can be chosen', () => {
    open(field({ ...line(null), control: { kind: 'transition', options: [] } }));
    expect(screen.getByRole('textbox', { name: 'What follows' })).toBeVisible();
    expect(screen.queryByTestId('field-transitions-write')).toBeNull();
  });
});

describe('a list that keys go through', () => {
  const kinds = {
    kind: 'choice' as const,
    options: ['linear', 'microloop', 'conditions'].map((value) => ({ value, label: value, help: '' })),
  };
  const one = () =>
    field({
      name: 'routing.kind',
      label: 'Then',
      control: kinds,
      place: at('routing', 'kind'),
      value: 'linear',
      default: null,
    });
  const go = async (value: string) => {
    const list = screen.getByLabelText<HTMLSelectElement>('Then');
    list.focus();
    await fireEvent.keyDown(list, { key: value[0] });
    await fireEvent.change(list, { target: { value } });
    return list;
  };

  it('counts when they rest, not at each of them', async () => {
    const { onedit } = open(one());
    await go('microloop');
    const list = await go('conditions');
    expect(list.value).toBe('conditions');
    expect(onedit).not.toHaveBeenCalled();
    await vi.waitFor(() => expect(onedit).toHaveBeenCalledTimes(1), { timeout: 3_000 });
    expect(onedit).toHaveBeenCalledWith([{ kind: 'set', place: at('routing', 'kind'), value: 'conditions' }], 'Then');
  });

  it('counts at once on Enter, when it is left, and where a pointer chose', async () => {
    const { onedit, user } = open(one());
    const list = await go('microloop');
    await fireEvent.keyDown(list, { key: 'Enter' });
    await vi.waitFor(() => expect(onedit).toHaveBeenCalledTimes(1), { timeout: 300 });
    await go('conditions');
    await fireEvent.blur(list);
    await vi.waitFor(() => expect(onedit).toHaveBeenCalledTimes(2), { timeout: 300 });
    await fireEvent.pointerDown(list);
    await user.selectOptions(list, 'microloop');
    await vi.waitFor(() => expect(onedit).toHaveBeenCalledTimes(3));
  });
});
