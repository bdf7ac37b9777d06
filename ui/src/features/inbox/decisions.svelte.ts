import { api, type Answer, type DecisionsByView, type DecisionsOf, type DecisionsView } from '$lib/api';
import { Snapshot } from '$lib/api/snapshot.svelte';
import { days, type When } from '$lib/days';

/** So many are listed at first, and so many more each time. */
const PAGE = 100;

/** What the project has decided, as far as it fits what is chosen here; which decisions those are, the backend says. */
export class Decisions {
  when = $state<When>('any');
  from = $state('');
  until = $state('');
  by = $state('');
  answer = $state<Answer | ''>('');
  workflow = $state('');
  words = $state('');
  rehearsals = $state(false);

  readonly #by = $derived<DecisionsOf>({
    ...days(this.when, this.from, this.until),
    ...(this.by ? { by: this.by } : {}),
    ...(this.answer ? { answer: this.answer } : {}),
    ...(this.workflow ? { workflow: this.workflow } : {}),
    ...(this.words.trim() ? { words: this.words.trim() } : {}),
  });
  /** Something is chosen besides whether rehearsals count. */
  readonly narrowed = $derived(Object.keys(this.#by).length > 0);
  readonly asked = $derived<DecisionsOf>({ ...this.#by, ...(this.rehearsals ? { rehearsals: true } : {}) });

  /** Of what is asked now so many are wanted; of anything else a page. */
  #more = $state.raw<{ of: DecisionsOf; most: number } | null>(null);
  readonly #most = $derived(this.#more?.of === this.asked ? this.#more.most : PAGE);
  readonly list = new Snapshot<DecisionsView>(() => api.decisions({ ...this.asked, most: this.#most }));
  /** Whom and which workflows one can choose; nobody is offered while that cannot be asked. */
  readonly offered = new Snapshot<DecisionsByView>(api.decisionsBy);

  /** How many more fit than were asked for. */
  readonly rest = $derived(Math.max(0, (this.list.value?.total ?? 0) - this.#most));

  refresh(): Promise<void> {
    void this.offered.refresh();
    return this.list.refresh();
  }

  more(): Promise<void> {
    this.#more = { of: this.asked, most: this.#most + PAGE };
    return this.list.refresh();
  }

  clear(): void {
    this.when = 'any';
    this.from = this.until = this.by = this.answer = this.workflow = this.words = '';
  }
}
