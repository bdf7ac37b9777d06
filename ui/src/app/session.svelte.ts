/** What the whole window knows: who sits here and how much waits. Filled from the backend when it connects. */
class Session {
  ready = $state<'loading' | 'ready' | 'error'>('loading');
  reviewer = $state('');
  keyLabel = $state('');
  waiting = $state(0);
}

export const session = new Session();
