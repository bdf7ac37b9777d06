import type { KeyStanding } from '$lib/api';

/** Whose key is whose: what a person reads of it. */
export const words = {
  title: 'People',
  lead: 'Who decided in this project, and with which key. What you confirm or revoke here is kept with you, for every project on this computer.',
  nobody: 'Nobody has decided in this project yet.',
  you: 'You',
  standing: {
    own: 'Your key',
    confirmed: 'Confirmed',
    unconfirmed: 'Not confirmed',
    revoked_later: 'Revoked',
    revoked: 'Revoked',
    another_key: 'Another key',
  },
  decisions: '{n} decisions, the last one',
  decision: '1 decision,',
  none: 'No decision in this project.',
  since: 'First seen',
  confirm: 'Confirm…',
  confirmAgain: 'Confirm again…',
  revoke: 'Revoke…',
  confirmTitle: 'Is this the key of {name}?',
  confirmText:
    'Ask {name} to read out their fingerprint: it stands in their settings, and on the command line gatehouse people prints it. Confirm only if every group is the same.',
  fingerprint: 'Fingerprint',
  name: 'Whose key it is',
  same: 'Every group is the same: confirm',
  confirmed: 'The key of {name} is confirmed.',
  revokeTitle: 'Revoke the key of {name}',
  revokeText:
    'Decisions that were made with it from that day on are not to be relied on. Decisions made before stay as they are.',
  from: 'From this day on',
  fromHint: 'Leave it empty to revoke it from now on.',
  why: 'Why',
  whyHint: 'One sentence. It stands in every report that you make.',
  whyMissing: 'Say why the key is revoked.',
  doRevoke: 'Revoke it',
  revoked: 'The key is revoked.',
} as const;

/** Whether what is known of a key speaks against the decision that it signed. */
export const isDoubtful = ({ standing }: KeyStanding) => standing === 'another_key' || standing === 'revoked';
