// Selects which of many dialogues are shown, and in what order. The filter is a pure function that is fast enough for
// tens of thousands of rows.
import { isEnglish, reasonInEnglish, reasonInWords } from '../../base/spoken.ts';
import type { TrajectoryRow } from '../../records/trajectoryRow.ts';
import type { FinishCode } from '../../records/trajectory.ts';

export const answerKinds = ['right', 'wrong', 'none'] as const;
/** The properties of a dialogue by which it can be filtered, apart from the answer. */
export const flagKinds = ['unfinished', 'truncated', 'clipped', 'faulted', 'branch'] as const;
export const trajectoryOrders = ['newest', 'oldest', 'best', 'worst', 'longest', 'clipped'] as const;

/** The criteria by which the visitor filters dialogues. Empty fields have no effect. */
export interface TrajectoryFilter {
  /** Words, each of which must occur in the question, the messages, the answer or the reasons. Case is ignored. */
  text: string;
  world: string;
  slice: string;
  answer: (typeof answerKinds)[number] | '';
  ending: FinishCode | '';
  flag: (typeof flagKinds)[number] | '';
  order: (typeof trajectoryOrders)[number];
}

export const noFilter: TrajectoryFilter = {
  ...{ text: '', world: '', slice: '', answer: '', ending: '', flag: '', order: 'newest' },
};

const flags: Record<(typeof flagKinds)[number], (row: TrajectoryRow) => boolean> = {
  unfinished: ({ finishCode, isBranch }) => finishCode !== 0 && !isBranch,
  truncated: ({ isTruncated }) => isTruncated,
  clipped: ({ clipped }) => (clipped ?? 0) > 0,
  faulted: ({ reasons }) => reasons.length > 0,
  branch: ({ isBranch }) => isBranch,
};

const orders: Record<(typeof trajectoryOrders)[number], ((a: TrajectoryRow, b: TrajectoryRow) => number) | null> = {
  newest: null, // as they come
  oldest: (a, b) => a.iteration - b.iteration || a.index - b.index,
  best: (a, b) => b.reward - a.reward,
  worst: (a, b) => a.reward - b.reward,
  longest: (a, b) => b.tokens - a.tokens,
  clipped: (a, b) => (b.clipped ?? -1) - (a.clipped ?? -1),
};

/** The characters - and * in the texts of a world are displayed as − and ×, so the visitor may type either form. */
const plain = (text: string) => text.toLowerCase().replaceAll('−', '-').replaceAll('×', '*');

/** Filters and sorts rows, which are passed with the newest iteration first. The sort is stable. */
export function filteredTrajectories(
  rows: readonly TrajectoryRow[],
  filter: TrajectoryFilter,
): readonly TrajectoryRow[] {
  const { world, slice, answer, ending, flag, order } = filter;
  const words = plain(filter.text).split(/\s+/).filter(Boolean);
  const hasWords = (row: TrajectoryRow) => {
    const text = [row.shown, row.said, row.answer].join(' ').toLowerCase();
    const missing = words.filter((word) => !text.includes(word));
    if (missing.length === 0 || row.reasons.length === 0) return missing.length === 0;
    // Reasons are checked last, because their conversion to text takes the most time. A word may occur in the English
    // text of a reason, which is used in files, or in the text in the language of the page.
    const says = isEnglish() ? [reasonInEnglish] : [reasonInEnglish, reasonInWords];
    const reasons = says
      .flatMap((say) => row.reasons.map(say))
      .join(' ')
      .toLowerCase();
    return missing.every((word) => reasons.includes(word));
  };
  const found = rows.filter(
    (row) =>
      (world === '' || row.world === world) &&
      (slice === '' || row.slice === slice) &&
      (answer === '' || (answer === 'none' ? row.answer === null : row.isRight === (answer === 'right'))) &&
      (ending === '' || row.finishCode === ending) &&
      (flag === '' || flags[flag](row)) &&
      hasWords(row),
  );
  const compare = orders[order];
  return compare ? found.sort(compare) : found;
}

/** The different values of a field, in the order of their first occurrence. */
export const valuesOf = (rows: readonly TrajectoryRow[], field: 'world' | 'slice'): string[] => [
  ...new Set(rows.map((row) => row[field])),
];
