import { api, asApiError, type Answer, type ApiError, type GateBrief, type Lasting } from '$lib/api';
import { Snapshot } from '$lib/api/snapshot.svelte';
import { messages as m } from '$lib/ui/messages';

/**
 * One decision on the desk: its brief, the comment being written, the answer being given.
 * A desk belongs to one gate of one run; another gate gets another desk.
 */
export class GateDesk {
  readonly run: string;
  readonly gate: string;
  readonly brief: Snapshot<GateBrief>;
  comment = $state('');
  commentError = $state<string | null>(null);
  /** For how long a permission would hold. */
  lasting = $state<Lasting>('once');
  /** Which answer is on its way. */
  giving = $state<Answer | null>(null);
  refused = $state.raw<ApiError | null>(null);
  /** Which answer the person looks at (hover, focus): its consequences are emphasised. */
  considered = $state<Answer | null>(null);

  /** `round`: an earlier one, to look at; without it the latest. */
  constructor(run: string, gate: string, round?: number) {
    this.run = run;
    this.gate = gate;
    this.brief = new Snapshot(() => api.gateBrief({ run_id: run, gate, round }));
  }

  preview(answer: Answer) {
    return this.brief.value?.answers.find((one) => one.answer === answer);
  }

  /** Why this answer cannot be given now; null when it can. A missing comment is no reason: it is asked for on pressing. */
  obstacle(answer: Answer): string | null {
    const preview = this.preview(answer);
    if (!preview || preview.allowed || preview.refusal?.code === 'comment_required') return null;
    return preview.refusal?.message ?? null;
  }

  /** Signs and sends the answer. True when it stands. */
  async answer(answer: Answer): Promise<boolean> {
    const brief = this.brief.value;
    const preview = this.preview(answer);
    if (!brief || !preview || this.giving || this.obstacle(answer) !== null) return false;
    if (preview.needs_comment && this.comment.trim() === '') {
      this.commentError = m.gate.commentMissing[answer];
      return false;
    }
    this.commentError = null;
    this.refused = null;
    this.giving = answer;
    try {
      this.brief.put(
        await api.answerGate({
          run_id: this.run,
          gate: this.gate,
          round: brief.round,
          answer,
          comment: this.comment.trim(),
          ...(brief.purpose === 'permission' && answer === 'approve' ? { lasting: this.lasting } : {}),
          // The decision is bound to exactly what stood on this screen (DESIGN, invariant 12).
          seen: brief.artifacts.map((one) => one.digest),
        }),
      );
      this.comment = '';
      return true;
    } catch (thrown) {
      this.refused = asApiError(thrown);
      // Whatever stood in the way (another answer, another version), the brief now shows it.
      await this.brief.refresh();
      return false;
    } finally {
      this.giving = null;
    }
  }
}
