import { api, asApiError, type Answer, type ApiError, type ArtifactView, type GateBrief, type Lasting } from '$lib/api';
import { Snapshot } from '$lib/api/snapshot.svelte';
import { messages as m } from '$lib/ui/messages';
import { say } from '$lib/ui/say';
import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import { changedSince, printOf } from './changed';
import { drafts } from './drafts';

/** How long a brief is on screen before it can be answered: a click meant for what stood there before answers nothing. */
export const MOMENT_MS = 1_000;
/** How long the first press of an answer that is final takes: what comes sooner belongs to it. */
export const TWICE_MS = 500;
/** What an answer is refused with that came after somebody else's, or for a round that is over. */
const LATE = ['refused:already_answered', 'refused:wrong_round', 'refused:gate_not_open'];

/**
 * One decision on the desk: its brief, the comment being written, the answer being given.
 * A desk belongs to one gate of one run; another gate gets another desk. Once its person has answered, it stays with
 * the round that was answered: what is asked next is another desk.
 */
export class GateDesk {
  readonly run: string;
  readonly gate: string;
  readonly brief: Snapshot<GateBrief>;
  /** The name being typed, while there is none to sign with. */
  #name = $state(drafts.name());
  nameError = $state<string | null>(null);
  commentError = $state<string | null>(null);
  /** For how long a permission would hold. */
  lasting = $state<Lasting>('once');
  /** Which way on is chosen, where one is asked for. */
  way = $state<string | null>(null);
  /** What is reported of a step that was carried out by hand, by its fields. */
  report = $state.raw<Readonly<Record<string, unknown>>>({});
  /** Which answer is on its way. */
  giving = $state<Answer | null>(null);
  /** Which answer was given here. */
  given = $state<Answer | null>(null);
  /** Which answer that is final, or given in spite of something, was pressed once, of which brief: it is signed when it is pressed again. */
  #sure = $state.raw<{ answer: Answer; at: string | null; since: number } | null>(null);
  /** Which answer, or which way on, the person looks at (hover, focus): its consequences are emphasised. */
  considered = $state<string | null>(null);
  /** How many files are attached to a document, by its digest. */
  readonly #attached = new SvelteMap<string, number>();
  /** Digests of the files that have a fault. */
  readonly #faulty = new SvelteSet<string>();
  /** The files of which all was on the screen, each with the question that they are of. */
  readonly #shown: SvelteSet<string>;
  #comment = $state('');
  #round: number | null;
  #draftOf: number | null = null;
  /** Words that were begun for an earlier round: they are offered, and are nobody's answer to this one. */
  begun = $state.raw<{ round: number; text: string } | null>(null);
  #first = $state.raw<GateBrief | null>(null);
  /** All that is decided on, to be compared: it stays the same when the brief is asked for again and says the same. */
  readonly print = $derived.by(() => (this.brief.value ? printOf(this.brief.value) : null));
  /** The brief that has been on screen for a moment. */
  #read = $state.raw<string | null>(null);
  /** The round that this brief is of. */
  #readRound: number | null = null;
  #refused = $state.raw<{ error: ApiError; at: string | null } | null>(null);
  /** The answer that was pressed for a round and not taken, as its button calls it. */
  #late = $state.raw<{ label: string; round: number } | null>(null);

  /** `round`: an earlier one, to look at; without it the latest. `shown`: what was on the screen so far, also when another question lay there. */
  constructor(run: string, gate: string, round: number | null = null, shown = new SvelteSet<string>()) {
    this.#shown = shown;
    this.run = run;
    this.gate = gate;
    this.#round = round;
    this.brief = new Snapshot(async () => {
      const brief = await api.gateBrief({ run_id: run, gate, round: this.#round ?? undefined });
      this.#recall(brief);
      return brief;
    });
  }

  /** The round this desk stays with; null: the latest, whichever that is. */
  get round(): number | null {
    return this.#round;
  }

  /** An answer pressed now would be sent: this very brief has been on screen for a moment, and none is on its way. */
  get live(): boolean {
    return this.print !== null && this.#read === this.print && this.giving === null;
  }

  /** It is asked still, and no answer is on its way. */
  get open(): boolean {
    const { value } = this.brief;
    return value !== null && !value.answered && this.giving === null;
  }

  /** What the last answer was refused for, for as long as nothing has changed about it. */
  get refused(): ApiError | null {
    return this.#refused && this.#refused.at === this.print ? this.#refused.error : null;
  }

  /** That an answer was not taken because another round has begun; it is said until one is given. */
  get late(): string | null {
    const now = this.brief.value;
    if (!this.#late || !now || now.answered || now.round <= this.#late.round) return null;
    return say(m.gate.late, { answer: this.#late.label, n: now.round });
  }

  /** What has become different while the brief was being read. */
  get changed(): string[] {
    const now = this.brief.value;
    return this.#first && now && !now.answered ? changedSince(this.#first, now) : [];
  }

  get name(): string {
    return this.#name;
  }

  get comment(): string {
    return this.#comment;
  }

  set name(text: string) {
    this.#name = text;
    drafts.keepName(text);
  }

  set comment(text: string) {
    this.#comment = text;
    if (this.#draftOf !== null) drafts.keep(this.run, this.gate, this.#draftOf, text);
  }

  /** The brief as it is now has come on screen: its answers wake up after a moment. Returns what calls that off. */
  show(): () => void {
    const print = this.print;
    const round = this.brief.value?.round ?? null;
    const read = () => {
      this.#read = print;
      this.#readRound = round;
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    // A page that is not painted gets no frame: what nobody can see has not been on screen.
    const frame = requestAnimationFrame(() => (timer = setTimeout(read, MOMENT_MS)));
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }

  /** All of a file was on the screen. */
  drew(digest: string): void {
    this.#shown.add(this.#asked(digest));
  }

  /** So many files are attached to a document, which nobody is shown. */
  holds(digest: string, files: number): void {
    this.#attached.set(digest, files);
  }

  /** How many files are attached to a document, as far as that is known. */
  attached(digest: string): number {
    return this.#attached.get(digest) ?? 0;
  }

  /** Not all of a file can be drawn. */
  faults(digest: string): void {
    this.#faulty.add(digest);
  }

  isFaulty(digest: string): boolean {
    return this.#faulty.has(digest);
  }

  #asked(digest: string): string {
    return [this.run, this.gate, this.brief.value?.round, digest].join(' ');
  }

  /** The files that nobody has been shown: those that cannot be shown or not all of them, and those of which not all was on the screen so far. */
  get undrawn(): ArtifactView[] {
    const isNamed = ({ kind, partly, digest }: ArtifactView) =>
      kind === 'binary' || partly || !this.#shown.has(this.#asked(digest));
    return this.brief.value?.artifacts.filter(isNamed) ?? [];
  }

  /** Asks again. What was refused because Gatehouse did not answer is settled when it does. */
  async refresh(): Promise<void> {
    await this.brief.refresh();
    if (this.#refused?.error.code === 'unreachable' && !this.brief.error) this.#refused = null;
  }

  /** Whether this answer was pressed once and is asked for twice: pressed again, it is signed. */
  sure(answer: Answer): boolean {
    return this.#sure?.answer === answer && this.#sure.at === this.print;
  }

  /** Whoever looks at something else is not sure any more. */
  unsure(): void {
    this.#sure = null;
  }

  preview(answer: Answer) {
    const way = answer === 'choose' ? this.way : null;
    return this.brief.value?.answers.find((one) => one.answer === answer && (one.way ?? null) === way);
  }

  /** Why this answer cannot be given now; null when it can. A missing comment is no reason: it is asked for on pressing. */
  obstacle(answer: Answer): string | null {
    if (answer === 'choose' && !this.preview(answer)) return m.gate.wayMissing;
    if (answer === 'pass' && this.#unreported().length > 0) return m.gate.reportMissing;
    const preview = this.preview(answer);
    if (!preview || preview.allowed || preview.refusal?.code === 'comment_required') return null;
    return preview.refusal?.message ?? null;
  }

  /** What is final, or given in spite of something, is asked for twice, and a double click is one press. */
  #confirmed(answer: Answer): boolean {
    if (this.sure(answer)) {
      if (performance.now() - (this.#sure?.since ?? 0) < TWICE_MS) return false;
      this.#sure = null;
      return true;
    }
    this.#sure = { answer, at: this.print, since: performance.now() };
    return false;
  }

  /** The fields that decide the way on and of which nothing is said yet. */
  #unreported() {
    return (this.brief.value?.reports ?? []).filter((one) => !one.optional && this.report[one.field] === undefined);
  }

  /** Signs and sends the answer, with the name typed where there was none (`save` keeps it). True when it stands. */
  async answer(answer: Answer, save: (name: string) => Promise<ApiError | null>): Promise<boolean> {
    const brief = this.brief.value;
    const preview = this.preview(answer);
    if (!brief || !preview || this.obstacle(answer) !== null) return false;
    if (!this.live) {
      // It was meant for the round that stood there until just now.
      const round = this.giving === null ? this.#readRound : null;
      if (round !== null && round < brief.round) this.#late = { label: preview.label, round };
      return false;
    }
    const nameless = brief.signer.name === '';
    this.nameError = nameless && this.name.trim() === '' ? m.gate.nameMissing : null;
    this.commentError = preview.needs_comment && this.comment.trim() === '' ? m.gate.commentMissing[answer] : null;
    if (this.nameError ?? this.commentError) return false;
    if ((preview.for_good || preview.confirm) && !this.#confirmed(answer)) return false;
    this.#refused = this.#late = null;
    this.giving = answer;
    // What had not been on the screen when it was pressed, of what stood there then.
    const undrawn = this.undrawn.map((one) => one.digest);
    try {
      if (nameless) {
        const refused = await save(this.name.trim());
        this.nameError = refused?.message ?? null;
        if (refused) return false;
        drafts.keepName('');
      }
      const answered = await api.answerGate({
        run_id: this.run,
        gate: this.gate,
        round: brief.round,
        answer,
        comment: this.comment.trim(),
        ...(preview.way === undefined ? {} : { way: preview.way }),
        ...(answer === 'pass' && brief.reports ? { report: { ...this.report } } : {}),
        ...(brief.purpose === 'permission' && answer === 'approve' ? { lasting: this.lasting } : {}),
        // The decision is bound to exactly what stood on this screen (DESIGN, invariant 12).
        seen: brief.artifacts.map((one) => one.digest),
        undrawn,
        // And to the name that stood there: another window may have changed it.
        by: nameless ? this.name.trim() : brief.signer.name,
      });
      // From here on this is the desk of what was decided: a newer round never takes its place.
      this.#round = brief.round;
      this.given = answer;
      this.brief.put(answered);
      this.comment = '';
      return true;
    } catch (thrown) {
      const error = asApiError(thrown);
      if (LATE.includes(error.code)) this.#late = { label: preview.label, round: brief.round };
      // Whatever stood in the way (another answer, another version), the brief now shows it.
      await this.brief.refresh();
      // What is wrong with the comment stands at its field, where the words are that can be changed.
      const { comment, ...others } = error.fields;
      this.commentError = comment ?? null;
      if (comment === undefined || Object.keys(others).length > 0) this.#refused = { error, at: this.print };
      return false;
    } finally {
      this.giving = null;
    }
  }

  /** Keeps the name typed, without answering. */
  async sign(save: (name: string) => Promise<ApiError | null>): Promise<boolean> {
    if (this.name.trim() === '') this.nameError = m.gate.nameMissing;
    else this.nameError = (await save(this.name.trim()))?.message ?? null;
    if (this.nameError) return false;
    drafts.keepName('');
    await this.refresh();
    return true;
  }

  /** Takes up the words begun for an earlier round. */
  takeUp(): void {
    if (!this.begun) return;
    this.comment = [this.comment.trim(), this.begun.text].filter(Boolean).join('\n');
    this.commentError = null;
    drafts.drop(this.run, this.gate, this.begun.round);
    this.begun = null;
  }

  /** The words begun for a round are back when its brief is; words begun before a newer round began are offered there. */
  #recall(brief: GateBrief): void {
    this.#first ??= brief;
    if (brief.answered) return drafts.drop(this.run, this.gate, brief.round);
    if (this.#draftOf === brief.round) return;
    // Kept by this window, or by whoever left it before the round began.
    for (let round = brief.round - 1; round > 0 && this.begun === null; round -= 1) {
      const text = round === this.#draftOf ? this.#comment.trim() : drafts.read(this.run, this.gate, round);
      if (text) this.begun = { round, text };
    }
    this.#draftOf = brief.round;
    this.#comment = drafts.read(this.run, this.gate, brief.round);
  }
}
