import { expect, it } from 'vitest';
import { spokenOf } from './kinds';

const kinds = [
  { kind: 'work', label: 'Work', help: 'Somebody does something: writes, checks, looks up, builds.' },
  {
    kind: 'decision',
    label: 'Decision',
    help: 'Something is prepared and a person decides about it: approves, signs off, accepts, releases or rejects it, before it goes on.',
  },
  { kind: 'script', label: 'Script', help: 'Commands of a shell that do the work.' },
];

it('finds the kind that the first words speak of', () => {
  expect(spokenOf(kinds, 'Decide on the contract')).toBe('decision');
  for (const name of ['Approve the advertisement', 'Legal approval', 'Sign off the contract', 'Release the payment']) {
    expect(spokenOf(kinds, name), name).toBe('decision');
  }
  expect(spokenOf(kinds, 'Check the terms')).toBe('work');
  expect(spokenOf(kinds, 'Run the script that cleans up')).toBe('script');
});

it('says nothing where no word is one of theirs, or more than one kind has it', () => {
  expect(spokenOf(kinds, '')).toBeNull();
  expect(spokenOf(kinds, 'Send it')).toBeNull();
  expect(spokenOf(kinds, 'Ask an agent')).toBeNull();
  expect(spokenOf(kinds, 'Tell them of what was found by the script')).toBeNull();
});
