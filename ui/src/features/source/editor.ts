import {
  autocompletion,
  completionKeymap,
  startCompletion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab, redoDepth, undoDepth } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { markdown } from '@codemirror/lang-markdown';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, foldGutter, foldKeymap, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import {
  Annotation,
  Compartment,
  EditorState,
  StateEffect,
  StateField,
  Transaction,
  type Extension,
  type Text,
} from '@codemirror/state';
import {
  Decoration,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  type DecorationSet,
  tooltips,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';

import type { CompletionsView } from '$lib/api';

/** Lines, first and last, 1-based. */
export interface Lines {
  first: number;
  last: number;
}

/** A problem to underline: 1-based lines and columns, as the backend counts them. */
export interface Mark {
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
  severity: 'error' | 'warning' | 'info';
  /** What it quotes stands in `backticks`. */
  message: string;
  /** What would mend it. */
  fix?: { label: string; run: () => void };
}

const look = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--surface)', color: 'var(--ink)', fontSize: 'var(--text-s)' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', fontVariantLigatures: 'none', lineHeight: 'var(--leading-read)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--ink-3)', border: 'none' },
  '.cm-content': { padding: 'var(--space-3) 0' },
  '&.cm-focused': { outline: 'none' },
  // Above the lines: what is marked in them reaches to the edge.
  '&.cm-focused::after': {
    content: '""',
    position: 'absolute',
    inset: '0',
    zIndex: '10',
    border: 'var(--stroke) solid var(--accent)',
    pointerEvents: 'none',
  },
  '.cm-selected-step': { backgroundColor: 'var(--accent-soft)' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--ink)' },
  '.cm-textfield': { backgroundColor: 'var(--surface)', color: 'var(--ink)', borderColor: 'var(--line-control)' },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--surface)',
    borderColor: 'var(--line-strong)',
    color: 'var(--ink)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--surface)',
    color: 'var(--ink)',
    border: 'var(--hairline) solid var(--line)',
    boxShadow: 'var(--shadow)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--font-mono)',
    fontVariantLigatures: 'none',
    maxHeight: 'calc(8 * (1.4em + 2 * var(--space-1)))',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: 'var(--space-1) var(--space-2)', lineHeight: '1.4' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
  },
  '.cm-completionDetail': { fontFamily: 'var(--font-ui)', fontStyle: 'normal', color: 'var(--ink-2)' },
  'li[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: 'var(--weight-strong)' },
  '.cm-diagnostic code': { fontFamily: 'var(--font-mono)', fontVariantLigatures: 'none' },
  '.cm-diagnosticAction': {
    padding: '0 var(--space-2)',
    borderRadius: 'var(--radius-s)',
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
    cursor: 'pointer',
  },
  '.cm-searchMatch': { backgroundColor: 'var(--waiting-soft)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--running-soft)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection': {
    backgroundColor: 'var(--accent-soft)',
  },
  // Of two versions neither is the right one: both look the same, and what differs has a line under it.
  '&.cm-merge-a .cm-changedLine, &.cm-merge-b .cm-changedLine, .cm-deletedChunk': {
    backgroundColor: 'var(--sunken)',
  },
  '&.cm-merge-a .cm-deletedLine, &.cm-merge-b .cm-insertedLine': {
    background: 'none',
    color: 'inherit',
    textDecoration: 'none',
  },
  '&.cm-merge-a .cm-changedText, &.cm-merge-b .cm-changedText': {
    background: 'var(--accent-soft) !important',
    borderBottom: 'var(--stroke) solid var(--accent)',
  },
  '&.cm-merge-a .cm-changedLineGutter, &.cm-merge-b .cm-changedLineGutter': { background: 'var(--accent)' },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName), tags.heading], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--done)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--gate)' },
  { tag: [tags.comment, tags.meta], color: 'var(--ink-3)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.operator, tags.link], color: 'var(--waiting)' },
  { tag: tags.invalid, color: 'var(--failed)' },
]);

/** What every view of a workflow's text needs; `numberOf`: what its lines are counted as, where they are an excerpt. */
function showing(path: string, label: string, numberOf: (line: number) => string = String): Extension[] {
  const language = path.endsWith('.json') ? json() : path.endsWith('.md') ? markdown() : yaml();
  return [
    lineNumbers({ formatNumber: numberOf }),
    foldGutter(),
    highlightSpecialChars(),
    highlightSelectionMatches(),
    search({ top: true }),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    keymap.of([...defaultKeymap, ...searchKeymap, ...foldKeymap]),
    language,
    syntaxHighlighting(colours),
    look,
  ];
}

/** Everything a read-only view of a workflow's text needs; shared with the comparison of two versions. */
export const reading = (path: string, label: string, numberOf?: (line: number) => string): Extension[] => [
  EditorState.readOnly.of(true),
  ...showing(path, label, numberOf),
];

/** What somebody who types is listened to with. */
export interface Typing {
  /** Every change of what is typed. */
  typed: (text: string) => void;
  /** Ctrl+S. */
  save: () => void;
  /** Ctrl+Z and Ctrl+Y where nothing was typed here that could be taken back, or made again. */
  undo: () => void;
  redo: () => void;
  /** What can be written at this place of the text. */
  complete: (text: string, at: number) => Promise<CompletionsView>;
}

/** Is asked while a name is typed, behind the colon of a field, and with Ctrl+Space. */
const ASKED = /(?:[\w.-]+|[:[{,] ?|^ *- ?)$/;

async function offered(at: CompletionContext, typing: Typing): Promise<CompletionResult | null> {
  if (!at.explicit && !at.matchBefore(ASKED)) return null;
  // Without an answer nothing is offered: typing goes on.
  const found = await typing.complete(at.state.doc.toString(), at.pos).catch(() => null);
  if (!found || found.options.length === 0 || at.aborted) return null;
  return {
    from: found.from,
    to: found.to,
    options: found.options.map((one) => ({
      label: one.label,
      ...(one.detail ? { detail: one.detail } : {}),
      // What follows a field is asked for at once.
      apply: (view, _option, from, to) => {
        view.dispatch({
          changes: { from, to, insert: one.text },
          selection: { anchor: from + one.text.length },
          userEvent: 'input.complete',
          scrollIntoView: true,
        });
        if (/[:\s-]\s*$/.test(one.text)) startCompletion(view);
      },
    })),
    validFor: /^[\w.-]*$/,
  };
}

/** Everything a text that can be typed in needs. */
const writing = (path: string, label: string, typing: Typing): Extension[] => [
  history(),
  keymap.of([
    {
      key: 'Mod-s',
      run: () => {
        typing.save();
        return true;
      },
    },
    { key: 'Mod-z', run: (view) => fallBack(undoDepth(view.state), typing.undo) },
    { key: 'Mod-y', mac: 'Mod-Shift-z', run: (view) => fallBack(redoDepth(view.state), typing.redo) },
    { linux: 'Ctrl-Shift-z', run: (view) => fallBack(redoDepth(view.state), typing.redo) },
    ...completionKeymap,
    ...historyKeymap,
    indentWithTab,
  ]),
  autocompletion({
    override: [(at) => offered(at, typing)],
    icons: false,
    defaultKeymap: false,
    activateOnTyping: true,
  }),
  EditorView.updateListener.of((update) => {
    const own = update.transactions.some((one) => one.docChanged && one.annotation(given) !== true);
    if (own) typing.typed(update.state.doc.toString());
  }),
  ...showing(path, label),
];

/** Nothing of the editor's own is left: it is done with the file. */
function fallBack(depth: number, act: () => void): boolean {
  if (depth > 0) return false;
  act();
  return true;
}

/** A text that comes from the file, not from whoever types. */
const given = Annotation.define<boolean>();

const choose = StateEffect.define<Lines | null>();
const chosenLine = Decoration.line({ class: 'cm-selected-step' });
const chosen = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(lines, change) {
    for (const effect of change.effects) {
      if (!effect.is(choose)) continue;
      if (!effect.value) return Decoration.none;
      const { doc } = change.state;
      const first = Math.max(1, effect.value.first);
      const last = Math.min(doc.lines, effect.value.last);
      const marks = [];
      for (let n = first; n <= last; n++) marks.push(chosenLine.range(doc.line(n).from));
      return Decoration.set(marks);
    }
    return lines.map(change.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The text of a workflow: highlighted, searchable, typed in where it may be, with its problems and the chosen step's lines marked. */
export class SourceEditor {
  #view: EditorView;
  readonly #heights = new Compartment();
  /** Lines are measured once, perhaps before their font was there. Another theme, even an empty one, has them measured again. */
  readonly #measure = () => this.#view.dispatch({ effects: this.#heights.reconfigure(EditorView.theme({})) });
  /** What is said below takes room from the text: whoever types goes on seeing where. */
  readonly #resized = new ResizeObserver(() => {
    if (!this.#view.hasFocus) return;
    this.#view.dispatch({ effects: EditorView.scrollIntoView(this.#view.state.selection.main.head) });
  });
  #frame = 0;
  /** The text that comes next is what the file's own undo makes of it: nothing that could be taken back here. */
  #stepped = false;

  constructor(
    parent: HTMLElement,
    path: string,
    label: string,
    text: string,
    onLine: (line: number) => void,
    typing: Typing | null = null,
  ) {
    this.#view = new EditorView({
      parent,
      state: EditorState.create({
        doc: text,
        extensions: [
          typing ? writing(path, label, this.#stepping(typing)) : reading(path, label),
          lintGutter(),
          chosen,
          this.#heights.of([]),
          // What is said at the caret stands within the editor, which cuts it: where there is no room below, above.
          tooltips({ tooltipSpace: (view) => view.dom.getBoundingClientRect() }),
          EditorView.updateListener.of((update) => {
            // Only what the person did moves the selection elsewhere; a new text does not.
            if (update.selectionSet && update.transactions.some((one) => one.isUserEvent('select'))) {
              onLine(update.state.doc.lineAt(update.state.selection.main.head).number);
            }
          }),
        ],
      }),
    });
    document.fonts?.addEventListener('loadingdone', this.#measure);
    this.#resized.observe(this.#view.scrollDOM);
    this.#frame = requestAnimationFrame(() => (this.#frame = requestAnimationFrame(this.#measure)));
  }

  #stepping(typing: Typing): Typing {
    const by = (step: () => void) => () => {
      this.#stepped = true;
      step();
    };
    return { ...typing, undo: by(typing.undo), redo: by(typing.redo) };
  }

  text(text: string): void {
    const old = this.#view.state.doc.toString();
    if (old === text) return;
    // The part that differs alone, so that the place of whoever reads or types stays.
    let from = 0;
    while (from < old.length && from < text.length && old[from] === text[from]) from += 1;
    let end = 0;
    const most = Math.min(old.length, text.length) - from;
    while (end < most && old[old.length - 1 - end] === text[text.length - 1 - end]) end += 1;
    const changes = { from, to: old.length - end, insert: text.slice(from, text.length - end) };
    const kept = Transaction.addToHistory.of(!this.#stepped);
    this.#stepped = false;
    this.#view.dispatch({ changes, annotations: [given.of(true), kept] });
  }

  choose(lines: Lines | null): void {
    const effects: StateEffect<unknown>[] = [choose.of(lines)];
    // Whoever types or reads there stays where they are.
    if (lines && lines.first <= this.#view.state.doc.lines && !this.#view.hasFocus) {
      effects.push(EditorView.scrollIntoView(this.#view.state.doc.line(lines.first).from, { y: 'center' }));
    }
    this.#view.dispatch({ effects });
  }

  marks(marks: readonly Mark[]): void {
    const { doc } = this.#view.state;
    const diagnostics = marks.map((mark): Diagnostic => {
      const from = offset(doc, mark.line, mark.column);
      // A problem of no width is shown on the one character where it is.
      const to = Math.max(offset(doc, mark.endLine, mark.endColumn), Math.min(from + 1, doc.length));
      const { severity, message, fix } = mark;
      return {
        from,
        to,
        severity,
        message,
        renderMessage: () => quoted(message),
        actions: fix && [{ name: fix.label, apply: fix.run }],
      };
    });
    this.#view.dispatch(setDiagnostics(this.#view.state, diagnostics));
  }

  goTo(line: number, column = 1): void {
    const at = offset(this.#view.state.doc, line, column);
    this.#view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
    this.#view.focus();
  }

  destroy(): void {
    cancelAnimationFrame(this.#frame);
    document.fonts?.removeEventListener('loadingdone', this.#measure);
    this.#resized.disconnect();
    this.#view.destroy();
  }
}

/** A sentence with what it quotes set apart, as the window shows it everywhere. */
function quoted(text: string): Node {
  const words = document.createElement('span');
  text.split('`').forEach((part, i) => {
    const piece = document.createElement(i % 2 === 1 ? 'code' : 'span');
    piece.textContent = part;
    words.append(piece);
  });
  return words;
}

function offset(doc: Text, line: number, column: number): number {
  const at = doc.line(Math.min(Math.max(1, line), doc.lines));
  return Math.min(at.from + Math.max(0, column - 1), at.to);
}
