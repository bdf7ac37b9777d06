import { Answers } from '$lib/answers.svelte';
import type { Spot, WorkflowView } from '$lib/api';
import type { Point } from '$lib/api/drawing.gen';
import type { Author, GateSpot } from '../../features/author/author.svelte';
import type { Piece } from '../../features/author/Palette.svelte';
import type { Under } from '../../features/canvas';
import { endsOf } from './ends';

/** Where something out of the palette would go. */
type Place = Spot | { gate: GateSpot };

/** What is dragged out of the palette onto the picture: where it would go, and whether it may. */
export class Dropping {
  /** What it is over, and where it would go there; null: it would go nowhere. */
  over = $state.raw<{ on: Under; place: Place | null } | null>(null);
  readonly #author: Author;
  readonly #view: () => WorkflowView;
  readonly #under: (at: Point) => Under | null;
  readonly #answers = new Answers();

  /** `under`: what lies at a place of the window. */
  constructor(author: Author, view: () => WorkflowView, under: (at: Point) => Under | null) {
    this.#author = author;
    this.#view = view;
    this.#under = under;
  }

  /** What would come of letting go, or why nothing would; null: it is over nothing. */
  get said(): { text: string; wrong: boolean } | null {
    const place = this.over?.place;
    if (!place) return null;
    if (this.#answers.why !== null) return { text: this.#answers.why, wrong: true };
    return { text: 'gate' in place ? this.#author.whereGate(place.gate) : this.#author.where(place), wrong: false };
  }

  /** It is at this place of the window now; null: it is no longer on its way. */
  drag(at: Point | null, piece: Piece): void {
    const on = at && this.#under(at);
    if (at === null) this.#answers.end();
    this.over = on && { on, place: this.#placeOf(piece, on) };
    const place = this.over?.place;
    if (!place) this.#answers.at(null);
    else this.#answers.at(JSON.stringify(place), () => this.#may(piece, place));
  }

  drop(piece: Piece, at: Point): void {
    const on = this.#under(at);
    const place = on && this.#placeOf(piece, on);
    if (!place) return;
    if ('gate' in place) void this.#author.putGate(place.gate);
    else void this.#author.addAt(place, 'kind' in piece ? piece.kind : undefined);
  }

  #may(piece: Piece, place: Place): Promise<string | null> {
    if ('gate' in place) return this.#author.mayGate(place.gate);
    return this.#author.mayAdd(place, 'kind' in piece ? piece.kind : undefined);
  }

  #placeOf(piece: Piece, on: Under): Place | null {
    if ('kind' in piece) return this.#spotOf(on);
    if (on === 'ground') return null;
    if ('step' in on) return { gate: { step: on.step, before: false } };
    const found = endsOf(this.#view(), on.edge);
    return found && { gate: { step: found.to.id, before: true } };
  }

  #spotOf(on: Under): Spot {
    if (on === 'ground') return { where: 'end' };
    if ('step' in on)
      return on.holds && this.#author.holds(on.step)
        ? { where: 'inside', step: on.step }
        : this.#author.behind(on.step);
    const found = endsOf(this.#view(), on.edge);
    return found ? { where: 'between', from: found.from.id, to: found.to.id, label: found.label } : { where: 'end' };
  }
}
