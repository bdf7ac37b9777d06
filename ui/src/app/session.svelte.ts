import {
  api,
  asApiError,
  useHost,
  type ApiError,
  type GateCard,
  type InboxView,
  type LibraryView,
  type RunsView,
  type SettingsChange,
  type SettingsView,
} from '$lib/api';
import { Snapshot } from '$lib/api/snapshot.svelte';
import type { Host } from '$lib/host';
import { announce } from '$lib/ui/announce.svelte';
import { messages as m } from '$lib/ui/messages';
import { say } from '$lib/ui/say';
import { toasts } from '$lib/ui/toasts.svelte';
import { zone } from '$lib/ui/zone.svelte';
import { to } from './address';
import { feed } from './feed.svelte';
import { router } from './router.svelte';
import { theme, type ThemeChoice } from './theme.svelte';

/** One round of one question. */
const asked = ({ run_id, gate, round }: GateCard): string => JSON.stringify([run_id, gate, round]);

/** What the whole window knows: who sits here, what waits, and the lists that navigation and palette search. */
class Session {
  state = $state<'loading' | 'ready' | 'error'>('loading');
  error = $state.raw<ApiError | null>(null);
  readonly settings = new Snapshot<SettingsView>(api.settings, ({ timezone }) => zone.set(timezone));
  readonly inbox = new Snapshot<InboxView>(api.inbox);
  readonly library = new Snapshot<LibraryView>(() => {
    this.#libraryAged = false;
    return api.library();
  });
  /** A file has changed since the list of workflows was asked for. */
  #libraryAged = false;
  readonly runs = new Snapshot<RunsView>(() => api.runs());
  /** The toasts that tell of questions. */
  readonly #told = new Map<string, number>();

  readonly #asked = $derived(this.inbox.value?.waiting ?? []);
  readonly #real = $derived(this.#asked.filter((card) => !card.rehearsal));
  /** What the person may decide, for real. */
  readonly waiting = $derived(this.#real.filter((card) => card.own).length);
  readonly reviewer = $derived(this.settings.value?.name ?? '');
  readonly keyShort = $derived(this.settings.value?.key_short ?? '');

  /** Why nothing can be recorded in this folder; null: everything can be. */
  readonly readOnly = $derived(this.settings.value?.read_only ?? null);
  /** Nothing of the project runs, and the person knows it. */
  readonly #trust = $derived(this.settings.value?.trust);
  readonly restricted = $derived(this.#trust !== undefined && !this.#trust.trusted && !this.#trust.bare);
  /** They have not been asked yet whether they trust it, and there is something to trust. */
  readonly asksForTrust = $derived(this.restricted && !this.#trust?.asked);

  /** What waits besides, in words: for others, and in rehearsals. */
  readonly besides = $derived.by(() => {
    const others = this.#real.length - this.waiting;
    const rehearsals = this.#asked.length - this.#real.length;
    return [
      others > 0 ? say(m.inbox.others, { n: others }) : '',
      rehearsals > 0 ? say(m.inbox.rehearsals, { n: rehearsals }) : '',
    ].filter(Boolean);
  });

  /** Connects, asks for what every view needs, and keeps it fresh. */
  async start(host: Host): Promise<() => void> {
    useHost(host);
    const stops = [
      feed.on('inbox', (notices) => {
        for (const { opened } of notices) if (opened) this.#arrived(opened);
        void this.inbox.refresh().then(() => this.#answered());
      }),
      feed.on('settings', () => {
        void this.settings.refresh();
        // Whose decision is whose hangs on the name and the roles.
        void this.inbox.refresh();
      }),
      feed.on('library', () => {
        this.#libraryAges();
        // Something has come into an empty folder.
        if (this.#trust?.bare) void this.settings.refresh();
      }),
      feed.on('workflow', () => this.#libraryAges()),
      feed.on('run', () => {
        void this.#ifShown(this.runs);
        // A card of the library shows the latest run of its workflow.
        if (router.route.view === 'library') void this.#ifShown(this.library);
      }),
      feed.start(host),
      this.#onReturn(() => void this.settings.refresh()),
    ];
    await this.connect();
    return () => stops.forEach((stop) => stop());
  }

  /** A person may have changed what is theirs in another window, of another project: nothing tells this one. */
  #onReturn(look: () => void): () => void {
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }

  async connect(): Promise<void> {
    this.state = 'loading';
    this.error = null;
    await Promise.all([this.settings.refresh(), this.inbox.refresh()]);
    this.error = this.settings.error ?? this.inbox.error;
    this.state = this.error ? 'error' : 'ready';
    const chosen = this.settings.value?.theme;
    if (chosen) theme.adopt(chosen);
  }

  /** Keeps settings; what stands in the way is for the caller to show where it was tried. */
  async save(change: SettingsChange): Promise<ApiError | null> {
    try {
      this.settings.put(await api.changeSettings(change));
      return null;
    } catch (thrown) {
      return asApiError(thrown);
    }
  }

  async change(change: SettingsChange): Promise<boolean> {
    const refused = await this.save(change);
    if (refused) toasts.error(refused);
    return refused === null;
  }

  /** Lets the programs of the project run, or not. */
  async trust(trust: boolean): Promise<void> {
    try {
      this.settings.put(await api.trust(trust));
      announce(trust ? m.trust.given : m.trust.notGiven);
    } catch (thrown) {
      toasts.error(asApiError(thrown));
    }
  }

  chooseTheme(choice: ThemeChoice): void {
    theme.choose(choice);
    void this.change({ theme: choice });
  }

  /** Asks for the list of workflows, unless what is held is what there is. */
  async freshLibrary(): Promise<void> {
    if (!this.library.value || this.library.error || this.#libraryAged) await this.library.refresh();
  }

  /** All workflows are read for the list: not at each change of a file while nobody looks at it. */
  #libraryAges(): void {
    this.#libraryAged = true;
    if (router.route.view === 'library') void this.#ifShown(this.library);
  }

  /** Lists nobody has asked for yet need no refreshing. */
  async #ifShown<T>(snapshot: Snapshot<T>): Promise<void> {
    if (snapshot.value || snapshot.error) await snapshot.refresh();
  }

  #arrived(card: GateCard): void {
    const { question, run_id: run, gate, rehearsal, mine, role, asks } = card;
    const who = role || asks.join(', ') || m.inbox.somebodyElse;
    const arrived = mine ? m.inbox.arrived : m.inbox.arrivedFor;
    const what = say(arrived[card.is_question ? 'question' : card.purpose], { question, who });
    const words = rehearsal ? say(m.rehearsal.named, { what }) : what;
    announce(words);
    // In the Inbox it simply appears in the list; the run's own view shows it too.
    const { route } = router;
    if (route.view === 'inbox' || (route.view === 'run' && route.id === run)) return;
    this.#told.set(asked(card), toasts.info(words, { label: m.inbox.openIt, href: to.inbox(run, gate) }));
  }

  /** What is told of a question goes with it, whoever has answered it. */
  #answered(): void {
    const { value, error } = this.inbox;
    if (!value || error) return;
    const waiting = new Set(value.waiting.map(asked));
    for (const [question, toast] of this.#told) {
      if (waiting.has(question)) continue;
      toasts.dismiss(toast);
      this.#told.delete(question);
    }
  }
}

export const session = new Session();
