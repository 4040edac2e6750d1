// The keyboard commands of the page. This file defines the action of each key, and for which focused elements the page
// ignores the key.
import { msg } from '../../base/spoken.ts';
import { say } from '../../state/visitor/language.svelte.ts';

/** The rows of the list of keys. Each row contains keys, as browsers name them, and their actions. */
const rows = {
  trainOrPause: { ' ': 'toggle' },
  oneIteration: { s: 'step' },
  otherRollouts: {
    ArrowLeft: 'rolloutBefore',
    ArrowRight: 'rolloutAfter',
  },
  otherProblems: { ',': 'groupBefore', '.': 'groupAfter' },
  otherTurns: { ArrowUp: 'turnBefore', ArrowDown: 'turnAfter' },
  nextClipped: { c: 'clipped' },
  timeline: { '[': 'earlier', ']': 'later' },
  throughTime: { t: 'throughTime' },
  follow: { Escape: 'follow' },
  find: { '/': 'find' },
  dialogues: { d: 'dialogues' },
  change: { e: 'change' },
  profiler: { p: 'profiler' },
  projector: { v: 'projector' },
  pointer: { l: 'pointer' },
  sheet: { '?': 'sheet' },
} as const;

type Rows = typeof rows;
type ActionOf<Row> = Row extends unknown ? Row[keyof Row] : never;
export type KeyAction = ActionOf<Rows[keyof Rows]>;

const actions = Object.assign({}, ...Object.values(rows)) as Partial<Record<string, KeyAction>>;

const labels: Partial<Record<string, string>> = {
  get ' '() {
    return say('Space');
  },
  get Escape() {
    return say('Esc');
  },
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
};

const words: Readonly<Record<keyof Rows, string>> = {
  trainOrPause: msg('Train or pause'),
  oneIteration: msg('Run one iteration, then pause'),
  otherRollouts: msg(
    'Other rollouts of the problem, or other problems in order of reward if the problem has only one rollout',
  ),
  otherProblems: msg('Other problems of the iteration'),
  otherTurns: msg('Other turns of the dialogue'),
  nextClipped: msg('Next clipped token, with its formula'),
  timeline: msg('Move back and forth on the timeline'),
  throughTime: msg('One problem at every checkpoint'),
  follow: msg('Follow the newest iteration'),
  find: msg('Search in the dialogue of a language model'),
  dialogues: msg('All stored dialogues'),
  change: msg('Change the chosen turn and see what follows'),
  profiler: msg('Where the time goes'),
  projector: msg('Projector view, and back'),
  pointer: msg('A dot at the mouse pointer in the projector view'),
  sheet: msg('This overview'),
};

/** The rows of the list of keys, as the page shows them. */
export const keyTable = Object.entries(rows).map(([row, keys]) => ({
  get words() {
    return say(words[row as keyof Rows]);
  },
  // The property is a getter, because the module is loaded before the texts are available.
  get keys() {
    return Object.keys(keys).map((key) => labels[key] ?? key);
  },
}));

type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'defaultPrevented'>;

/** The kinds of focused elements for which keys may have different effects. */
export type Focus = 'nothing' | 'control' | 'scrollable' | 'writing' | 'dialog';

/**
 * The action of the page for a key; null if the page ignores the key, so that only the browser or the focused element
 * handles it.
 */
export function keyAction(event: Key, focus: Focus): KeyAction | null {
  // On many keyboards, a bracket is typed with Alt or AltGr.
  const isTyped = event.altKey && (event.key === '[' || event.key === ']');
  if (event.defaultPrevented || event.metaKey || ((event.ctrlKey || event.altKey) && !isTyped)) return null;
  if (focus === 'dialog' || focus === 'writing') return null;
  const action = actions[event.key] ?? null;
  if (focus === 'control' && action === 'toggle') return null;
  if (focus === 'scrollable' && event.key.startsWith('Arrow')) return null;
  return action;
}

/**
 * The kind of element that has the focus when a key event reaches `target`. `isClicked` means that the element got the
 * focus from the pointer.
 */
export function focusOf(target: EventTarget | null, isClicked: boolean): Focus {
  if (!(target instanceof Element)) return 'nothing';
  if (target.closest('dialog[open]')) return 'dialog';
  if (target.closest('input, select, textarea, [contenteditable]')) return 'writing';
  // If the focus was moved by a click, the space bar still starts and pauses training, because many visitors never use
  // the keyboard to move the focus.
  if (target.closest('button, a, summary, [role="option"], [role="radio"]')) return isClicked ? 'nothing' : 'control';
  return target.closest('[tabindex="0"]') ? 'scrollable' : 'nothing';
}

/**
 * Moves the focus to the nearest enclosing element that can have the focus. This is called before a click on a button
 * removes this button, because the focus would otherwise move to the top of the page.
 */
export function leaveTo({ currentTarget }: Event): void {
  if (currentTarget instanceof Element)
    currentTarget.parentElement?.closest<HTMLElement>('[tabindex="-1"]')?.focus({ preventScroll: true });
}
