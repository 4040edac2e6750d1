// The keyboard of the page: which key means what, and when it means nothing because something else has the focus.

export type KeyAction =
  | 'toggle'
  | 'step'
  | 'rolloutBefore'
  | 'rolloutAfter'
  | 'turnBefore'
  | 'turnAfter'
  | 'earlier'
  | 'later'
  | 'follow'
  | 'profiler'
  | 'sheet';

export const keyTable: { keys: string[]; action: KeyAction; words: string }[] = [
  { keys: ['Space'], action: 'toggle', words: 'Train or pause' },
  { keys: ['s'], action: 'step', words: 'Run one iteration, then pause' },
  { keys: ['←', '→'], action: 'rolloutBefore', words: 'Other rollouts of the same problem' },
  { keys: ['↑', '↓'], action: 'turnBefore', words: 'Other turns of the dialogue' },
  { keys: ['[', ']'], action: 'earlier', words: 'Back and forth on the timeline' },
  { keys: ['Esc'], action: 'follow', words: 'Follow the newest iteration' },
  { keys: ['p'], action: 'profiler', words: 'Where the time goes' },
  { keys: ['?'], action: 'sheet', words: 'This sheet' },
];

const actions: Record<string, KeyAction> = {
  ' ': 'toggle',
  s: 'step',
  ArrowLeft: 'rolloutBefore',
  ArrowRight: 'rolloutAfter',
  ArrowUp: 'turnBefore',
  ArrowDown: 'turnAfter',
  '[': 'earlier',
  ']': 'later',
  Escape: 'follow',
  p: 'profiler',
  '?': 'sheet',
};

interface Key {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  defaultPrevented: boolean;
}

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
