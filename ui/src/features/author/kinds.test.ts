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

it.each([
  'Decide on the contract',
  'Approve the advertisement',
  'Legal approval',
  'Ask the boss for approval',
  'Ask for permission',
  'Sign off the contract',
  'Get the sign-off',
  'Accept the delivery',
  'May we send it?',
  'May  the offer go out?',
])('“%s” speaks of a decision', (name) => {
  expect(spokenOf(kinds, name)).toBe('decision');
});

it.each([
  '',
  'Prepare the desk',
  'Prepare lunch',
  'Release the room',
  'Send the approved offer',
  'Write acceptance tests',
  'Check the terms',
  'Run the script that cleans up',
  'May report',
  'Disapproves',
])('“%s” speaks of none', (name) => {
  expect(spokenOf(kinds, name)).toBeNull();
});

it('speaks of no kind that the format does not have', () => {
  expect(spokenOf([{ kind: 'prompt', label: 'By hand', help: 'A person decides.' }], 'Approve it')).toBeNull();
});
