import { api, type CompareView, type VersionView } from '$lib/api';
import { Snapshot } from '$lib/api/snapshot.svelte';
import { keepRoom, sameRoom, usualRoom, type Room } from '$lib/room';
import { pairOf, type Pair } from './pairs';

/** A version as it stands in the list. */
export interface Row {
  /** A file that went back has the same version twice. */
  readonly key: string;
  readonly version: VersionView;
}

/** Two versions beside each other. */
export interface Compared {
  readonly earlier: VersionView;
  /** Absent: the file as it is now. */
  readonly later: VersionView | null;
  readonly view: CompareView;
}

/** What a person reads of a version: the program's words, begun like a sentence. */
export function titleOf(version: VersionView): string {
  const [first = '', ...rest] = version.label;
  return first.toLocaleUpperCase() + rest.join('');
}

/** The versions of one workflow: which are known, and which two are looked at. */
export class Past {
  readonly path: string;
  readonly compared: Snapshot<Compared | null>;
  readonly versions: Snapshot<VersionView[]>;
  /** Both pictures, or both texts. */
  shows = $state<'pictures' | 'texts'>('pictures');
  /** The step that is looked at. */
  pair = $state.raw<Pair | null>(null);
  room: Room = usualRoom('history');
  #chosen = $state<string | null>(null);
  #against = $state<string | null>(null);

  readonly rows = $derived.by((): readonly Row[] => {
    const seen: Record<string, number> = {};
    const rows = (this.versions.value ?? []).toReversed().map((version) => {
      const times = seen[version.version] ?? 0;
      seen[version.version] = times + 1;
      return { key: `${version.version}/${times}`, version };
    });
    return rows.reverse();
  });
  /** The version that is looked at: at first the last one that is not the file as it is. */
  readonly row = $derived.by(
    (): Row | null =>
      this.rows.find((one) => one.key === this.#chosen) ?? this.rows.find((one) => !one.version.is_now) ?? null,
  );
  /** The version before the one that is looked at, where that is the file as it is: beside that both would say the same. */
  readonly before = $derived.by((): Row | null => {
    const { row } = this;
    if (!row?.version.is_now) return null;
    return this.rows.slice(this.rows.indexOf(row) + 1).find((one) => !one.version.is_now) ?? null;
  });
  /** What it is compared with; null: what the file says now. */
  readonly against = $derived.by(
    (): Row | null => this.rows.find((one) => one.key === this.#against && one !== this.row) ?? this.before,
  );

  constructor(path: string) {
    this.path = path;
    this.versions = new Snapshot(async () => (await api.versions(path)).versions);
    this.compared = new Snapshot(() => this.#compare());
  }

  async #compare(): Promise<Compared | null> {
    const { row, against } = this;
    if (!row) return null;
    // The list has the latest first.
    const swapped = against !== null && this.rows.indexOf(against) > this.rows.indexOf(row);
    const earlier = (swapped ? against : row).version;
    const later = (swapped ? row : against)?.version ?? null;
    const of = { path: this.path, left: earlier.version, room: this.room };
    const view = await api.compareVersions(later ? { ...of, right: later.version } : of);
    return { earlier, later, view };
  }

  /** Reads both anew: the list, and what differs. */
  async refresh(): Promise<void> {
    await this.versions.refresh();
    await this.compared.refresh();
  }

  /** The file went back: what it is now is looked at, beside what it was a moment ago; nobody has chosen anything else. */
  async wentBack(): Promise<void> {
    await this.versions.refresh();
    const [now, before] = this.rows;
    this.reset(now?.key ?? null);
    this.#against = before?.key ?? null;
    await this.compared.refresh();
  }

  /** Looks at a version. */
  choose(key: string): void {
    this.reset(key);
    void this.compared.refresh();
  }

  /** What is read next is what is looked at first. */
  reset(key: string | null = null): void {
    this.#chosen = key;
    this.#against = null;
    this.pair = null;
  }

  /** Compares it with another one; null: with what the file says now, or, where it is that, with the one before it. */
  compareWith(key: string | null): void {
    this.#against = key;
    this.pair = null;
    void this.compared.refresh();
  }

  /** Looks at a step of one picture, and at the one that it was, or has become, in the other. */
  look(side: 'earlier' | 'later', step: string | null): void {
    const view = this.compared.value?.view;
    if (step === null || !view) {
      this.pair = null;
      return;
    }
    const at = side === 'earlier' ? 'before' : 'after';
    const found = view.differences.map(pairOf).find((one) => one[at] === step);
    this.pair = found ?? { before: step, after: step };
  }

  /** Each picture has another room. */
  fit(room: Room): void {
    if (sameRoom(room, this.room)) return;
    this.room = room;
    keepRoom('history', room);
    void this.compared.refresh();
  }
}
