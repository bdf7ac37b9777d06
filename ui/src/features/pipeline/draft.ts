import type { FailureHandling, GateDraft, PipelineDraft, StageDraft, TemplateView } from '$lib/api';
import { Stage } from './stage.svelte';

/** Everything typed. */
export interface Typed {
  name: string;
  description: string;
  handling: FailureHandling;
  retries: number;
  /** Seconds between two attempts. */
  delay: number;
  stages: Stage[];
}

/** What `error_handling: retry` means where nothing else is said (seed 004). */
export const RETRIES = 2;
export const DELAY_S = 30;

/** `analyst, pm` as a list; what stands twice counts once. */
export function listed(text: string): string[] {
  const parts = text.split(/[,\n]/).map((part) => part.trim());
  return [...new Set(parts.filter(Boolean))];
}

/** The stages of a template, ready to be changed. */
export function stagesOf(drafts: readonly StageDraft[]): Stage[] {
  const made = drafts.map((draft): Stage => {
    const { gate } = draft;
    return Object.assign(new Stage(), {
      name: draft.name,
      task: draft.description ?? '',
      doer: draft.run !== undefined ? 'script' : (draft.workflows ?? []).length > 0 ? 'workflows' : 'agents',
      agents: (draft.agents ?? []).join(', '),
      script: draft.run ?? '',
      workflows: (draft.workflows ?? []).join(', '),
      parallel: draft.parallel ?? false,
      makes: (draft.outputs ?? []).join(', '),
      asks: gate ? (gate.at === 'before' ? 'before' : 'after') : 'nobody',
      question: gate?.question ?? '',
      whom: (gate?.asks ?? []).join(', '),
      kept: {
        ...(draft.inputs === undefined ? {} : { inputs: draft.inputs }),
        ...(gate ? { gate } : {}),
      },
    } satisfies Partial<Stage>);
  });
  drafts.forEach((draft, i) => {
    const [stage, names] = [made[i], draft.depends_on ?? []];
    if (!stage) return;
    const keyOf = (name: string) => made.find((one) => one.name === name)?.key;
    stage.waitsFor = names.flatMap((name) => keyOf(name) ?? []);
    stage.missing = names.filter((name) => keyOf(name) === undefined);
  });
  return made;
}

/** A stage as the backend takes it. */
export function stageDraft(stage: Stage, all: readonly Stage[]): StageDraft {
  const { gate: was, ...kept } = stage.kept;
  // In the order of the list: so a ticked and unticked box leaves no trace.
  const waits = all.filter((one) => stage.waitsFor.includes(one.key)).map((one) => one.name.trim());
  const question = stage.question.trim();
  const task = stage.task.trim();
  const gate: GateDraft | undefined =
    stage.asks === 'nobody'
      ? undefined
      : {
          requirement: was?.requirement ?? 'required',
          at: stage.asks,
          asks: listed(stage.whom),
          ...(question ? { question } : {}),
        };
  return {
    name: stage.name.trim(),
    ...(task ? { description: task } : {}),
    ...kept,
    agents: stage.doer === 'agents' ? listed(stage.agents) : [],
    ...(stage.doer === 'script' ? { run: stage.script } : {}),
    ...(stage.doer === 'workflows' ? { workflows: listed(stage.workflows) } : {}),
    parallel: stage.parallel,
    depends_on: [...waits, ...stage.missing],
    outputs: listed(stage.makes),
    ...(gate ? { gate } : {}),
  };
}

/**
 * What is typed, as the backend takes it. Of a template whose stages nobody has changed the stages are left to the
 * backend, which takes them over with everything else that stands in the template.
 */
export function toDraft(typed: Typed, template: TemplateView | null): PipelineDraft {
  const stages = typed.stages.map((stage) => stageDraft(stage, typed.stages));
  const description = typed.description.trim();
  const retry = typed.handling === 'retry';
  const same = template !== null && JSON.stringify(stages) === JSON.stringify(asTyped(template));
  return {
    name: typed.name.trim(),
    ...(same ? { template: template.name } : { stages }),
    ...(same && description === (template.description ?? '') ? {} : { description }),
    ...(same && typed.handling === template.error_handling ? {} : { error_handling: typed.handling }),
    ...(retry && typed.retries !== RETRIES ? { max_retries: typed.retries } : {}),
    ...(retry && typed.delay !== DELAY_S ? { retry_delay_seconds: typed.delay } : {}),
  };
}

/** A template's stages as they would be sent if somebody had typed them. */
function asTyped(template: TemplateView): StageDraft[] {
  const stages = stagesOf(template.stages);
  return stages.map((stage) => stageDraft(stage, stages));
}

/** What a stage is called while it has no name: its number. `at`: where it stands, or comes to stand again. */
export function called(
  stage: Stage,
  all: readonly Stage[],
  unnamed: (n: number) => string,
  at: number = all.indexOf(stage),
): string {
  return stage.name.trim() || unnamed(at + 1);
}

/** Workflows as they are written, each that is called by its title named by its file. */
export function byPath(written: string, files: readonly { path: string; title: string }[]): string {
  const names = written.split(',').map((name) => name.trim());
  const file = (name: string) => files.find(({ title }) => title.toLowerCase() === name.toLowerCase())?.path;
  return names.map((name) => file(name) ?? name).join(', ');
}
