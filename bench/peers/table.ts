// The table of the compared functions of other projects, as Markdown.
import { table } from '../shared/table.ts';
import type { Gap } from './gaps.ts';

/** Returns a power of ten above the difference. */
const bound = (gap: number): string => (gap === 0 ? '0' : `< 1e${Math.max(-12, Math.floor(Math.log10(gap)) + 1)}`);

export const peersTable = ({ rows }: { rows: readonly Gap[] }): string =>
  table<Gap>(
    [
      ['Peer', ({ peer, version }) => `${peer} ${version}`],
      ['Function', ({ function: name }) => name],
      ['Cases', ({ cases }) => cases],
      ['Largest gap', ({ gap, differs }) => (differs ? gap.toPrecision(2) : bound(gap))],
      ['Ours', ({ differs }) => (differs ? `differs: ${differs}` : 'the same')],
    ],
    rows,
  );
