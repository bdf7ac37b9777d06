import type { WorkflowView } from '$lib/api';

/** A workflow that is open, as far as authoring knows of it. */
export class Open {
  readonly path: string;
  step = $state<string | null>(null);
  left = false;
  #value = $state.raw<WorkflowView | null>(null);
  /** Nothing is wrong with anything. */
  readonly fill = (): Promise<string | null> => Promise.resolve(null);
  readonly view: { value: WorkflowView | null };

  constructor(path: string, view: WorkflowView, step: string | null = null) {
    this.path = path;
    this.#value = view;
    this.step = step;
    const at = (): WorkflowView | null => this.#value;
    const put = (next: WorkflowView | null) => (this.#value = next);
    this.view = {
      get value() {
        return at();
      },
      set value(next) {
        put(next);
      },
    };
  }
}
