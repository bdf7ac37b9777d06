import type { GateDraft, StageDraft } from '$lib/api';

/** Who does the work of a stage. */
export type Doer = 'agents' | 'script' | 'workflows';
/** When a person is asked. */
export type Asks = 'nobody' | 'before' | 'after';

let keys = 0;

/** A stage as it is typed. It is known by its key, so that a new name is a new name and not another stage. */
export class Stage {
  readonly key = (keys += 1);
  name = $state('');
  /** What is to be done, in the words of whoever does it. */
  task = $state('');
  doer = $state<Doer>('agents');
  /** Names, with commas between them. */
  agents = $state('');
  script = $state('');
  /** Paths, with commas between them. */
  workflows = $state('');
  parallel = $state(false);
  /** Keys of other stages. */
  waitsFor = $state.raw<readonly number[]>([]);
  /** Names of stages it waits for that are not there. */
  missing = $state.raw<readonly string[]>([]);
  /** Names, with commas between them. */
  makes = $state('');
  asks = $state<Asks>('nobody');
  question = $state('');
  /** Names or roles, with commas between them. */
  whom = $state('');
  /** What came with it and is not changed here. */
  kept: Pick<StageDraft, 'inputs'> & { gate?: GateDraft } = {};

  constructor(waitsFor: readonly number[] = []) {
    this.waitsFor = waitsFor;
  }
}
