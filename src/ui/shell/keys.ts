// The keyboard of the page: which key means what, and when it means nothing because something else has the focus.

/** Each row of the sheet: its words, and its keys as the browser names them with what they do. */
const rows = {
  'Train or pause': { ' ': 'toggle' },
  'Run one iteration, then pause': { s: 'step' },
  'Other rollouts of the problem; where it has one, other problems by reward': {
    ArrowLeft: 'rolloutBefore',
    ArrowRight: 'rolloutAfter',
  },
  'Other problems of the iteration': { ',': 'groupBefore', '.': 'groupAfter' },
  'Other turns of the dialogue': { ArrowUp: 'turnBefore', ArrowDown: 'turnAfter' },
  'Next clipped token, with its formula': { c: 'clipped' },
  'Back and forth on the timeline': { '[': 'earlier', ']': 'later' },
  'One problem under every checkpoint': { t: 'throughTime' },
  'Follow the newest iteration': { Escape: 'follow' },
  'All stored dialogues': { d: 'dialogues' },
  'Change the chosen turn and see what follows': { e: 'change' },
  'Where the time goes': { p: 'profiler' },
  'This sheet': { '?': 'sheet' },
} as const;

type Rows = typeof rows;
type ActionOf<Row> = Row extends unknown ? Row[keyof Row] : never;
export type KeyAction = ActionOf<Rows[keyof Rows]>;

const actions = Object.assign({}, ...Object.values(rows)) as Partial<Record<string, KeyAction>>;

const labels: Partial<Record<string, string>> = {
  ' ': 'Space',
  Escape: 'Esc',
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
};

/** The sheet of keys, a row at a time. */
export const keyTable = Object.entries(rows).map(([words, keys]) => ({
  words,
  keys: Object.keys(keys).map((key) => labels[key] ?? key),
}));

type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'defaultPrevented'>;

/** What has the focus, as far as keys are concerned. */
export type Focus = 'nothing' | 'control' | 'scrollable' | 'writing' | 'dialog';

/** What a key asks for; null when it belongs to the browser or to what has the focus. */
export function keyAction(event: Key, focus: Focus): KeyAction | null {
  // Many keyboards write a bracket with Alt or AltGr.
  const isTyped = event.altKey && (event.key === '[' || event.key === ']');
  if (event.defaultPrevented || event.metaKey || ((event.ctrlKey || event.altKey) && !isTyped)) return null;
  if (focus === 'dialog' || focus === 'writing') return null;
  const action = actions[event.key] ?? null;
  if (focus === 'control' && action === 'toggle') return null;
  if (focus === 'scrollable' && event.key.startsWith('Arrow')) return null;
  return action;
}

/** What has the focus when a key reaches `target`; `isClicked`: the pointer put it there. */
export function focusOf(target: EventTarget | null, isClicked: boolean): Focus {
  if (!(target instanceof Element)) return 'nothing';
  if (target.closest('dialog[open]')) return 'dialog';
  if (target.closest('input, select, textarea, [contenteditable]')) return 'writing';
  // What was clicked keeps the focus, but not the space bar: that is the page's for who never tabs.
  if (target.closest('button, a, summary, [role="option"], [role="radio"]')) return isClicked ? 'nothing' : 'control';
  return target.closest('[tabindex="0"]') ? 'scrollable' : 'nothing';
}
