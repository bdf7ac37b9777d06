import type { ApiError, Origin } from '$lib/api';

/** What somebody answered so far who never saw a workflow. Kept while its dialog is closed, and while another choice is looked at. */
export class Answered {
  /** What the person who decides is asked. */
  asked = $state('');
  /** What is done before, a line for each step. */
  before = $state('');
  /** What is done after a yes, a line for each step. */
  after = $state('');
  /** Whether a no leads back to the first step. */
  again = $state(true);

  /** Why no flow can be made of them as they are; null: one can, as far as the program has said. */
  failed = $state.raw<ApiError | null>(null);

  /** What `workflow.create` makes a flow of. */
  readonly origin = $derived<Origin>({
    kind: 'answers',
    asked: this.asked,
    before: this.before.split('\n'),
    after: this.after.split('\n'),
    again: this.again,
  });

  forget(): void {
    this.asked = this.before = this.after = '';
    this.again = true;
    this.failed = null;
  }
}
