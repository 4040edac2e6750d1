// An editor for the text of a world or of an exercise: CodeMirror with marks at errors. The editor is inside a shadow
// root, because CodeMirror then uses constructed style sheets, which the content security policy allows.
import { javascript, javascriptLanguage } from '@codemirror/lang-javascript';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { basicSetup, EditorView } from 'codemirror';
import type { WorldFault } from '../../config/worlds/own.ts';
import { say } from '../../state/visitor/language.svelte.ts';
import { contract } from './contract.ts';

export interface CodeEditor {
  text(): string;
  /** Replaces the whole text in the editor. */
  replace(text: string): void;
  /** Marks an error, or removes the mark. An error without a known line is not marked. */
  mark(fault: WorldFault | null): void;
  /** Moves the cursor to a line. Lines are counted from 1. */
  goTo(line: number): void;
  end(): void;
}

/** CodeMirror's context for a completion at the cursor. */
interface Typing {
  explicit: boolean;
  matchBefore(expression: RegExp): { from: number; text: string } | null;
}

const completions = javascriptLanguage.data.of({
  autocomplete: (typing: Typing) => {
    const word = typing.matchBefore(/[\w.]+/);
    if (!word && !typing.explicit) return null;
    return { from: word?.from ?? 0, options: contract, validFor: /^[\w.]*$/ };
  },
});

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '12.5px', color: 'var(--ink)', backgroundColor: 'var(--bg)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { color: 'var(--mute)', backgroundColor: 'var(--panel)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--line) 40%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--focus) 28%, transparent) !important',
  },
  '.cm-tooltip': { color: 'var(--ink)', backgroundColor: 'var(--panel)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { color: 'var(--bg)', backgroundColor: 'var(--ink)' },
  // These syntax colours have a contrast of at least 4.5:1 in the light and in the dark theme.
  '.cm-content .ͼb, .cm-content .ͼi': { color: 'var(--meta)' },
  '.cm-content .ͼe, .cm-content .ͼd': { color: 'var(--reason)' },
  '.cm-content .ͼm': { color: 'var(--mute)' },
  '.cm-content :is(.ͼc, .ͼf, .ͼg, .ͼh, .ͼj, .ͼk, .ͼl)': { color: 'inherit' },
});

/**
 * Inserts a text with several lines from an input method or from dictation. The browser itself would insert the text
 * with styles that the content security policy blocks.
 */
const lines = EditorView.domEventHandlers({
  beforeinput: ({ inputType, data }, view) => {
    if (inputType !== 'insertText' || !data?.includes('\n')) return false;
    view.dispatch(view.state.replaceSelection(data), { scrollIntoView: true });
    return true;
  },
});

/**
 * The kind of text that is edited: either the text of a world, in which the editor completes the names that worlds use,
 * or another text with the given label.
 */
type Written = { isWorld: true } | { isWorld: false; label: string };

export function openEditor(
  host: HTMLElement,
  text: string,
  onchange: (text: string) => void,
  written: Written = { isWorld: true },
): CodeEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const view = new EditorView({
    doc: text,
    root,
    parent: root as unknown as Element,
    extensions: [
      basicSetup,
      javascript(),
      ...(written.isWorld ? [completions] : []),
      lines,
      lintGutter(),
      look,
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({
        'aria-label': written.isWorld ? say('Text of the world') : written.label,
        tabindex: '0',
      }),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged) onchange(state.doc.toString());
      }),
    ],
  });
  const lineAt = (line: number) => view.state.doc.line(Math.min(line, view.state.doc.lines));
  return {
    text: () => view.state.doc.toString(),
    replace: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    mark: (fault) => {
      const { from, to } = fault?.line ? lineAt(fault.line) : { from: 0, to: 0 };
      const marks = fault?.line ? [{ from, to, severity: 'error' as const, message: fault.message }] : [];
      view.dispatch(setDiagnostics(view.state, marks));
    },
    goTo: (line) => {
      const { from } = lineAt(line);
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
      view.focus();
    },
    end: () => view.destroy(),
  };
}
