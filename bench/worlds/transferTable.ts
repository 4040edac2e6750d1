// The results of `npm run bench:transfer`: a row for each pair of training world and evaluation world, means over
// seeds.
import { mean } from '../../src/base/stats.ts';
import { worldLabels, type WorldName } from '../../src/config/worlds/registry.ts';
import { factLine, table, type Column } from '../shared/table.ts';

/** Accuracy after one round and after two. */
export type Turns = number[];

export interface TransferRow {
  /** The world of the reinforcement learning. */
  learns: string;
  seed: number;
  /** By world. */
  before: Record<string, Turns>;
  after: Record<string, Turns>;
  /** Processor time in seconds. */
  seconds: number;
}

export interface TransferResults {
  machine: string;
  backend: string;
  rows: TransferRow[];
}

export function transferTable({ machine, backend, rows }: TransferResults): string {
  const learned = [...new Set(rows.map(({ learns }) => learns))];
  const asked = Object.keys(rows[0]?.before ?? {});
  const lines = learned.flatMap((learns) =>
    asked.map((world) => ({ world, of: rows.filter((row) => row.learns === learns) })),
  );
  type Line = (typeof lines)[number];
  const share = (when: 'before' | 'after', turn: number) => (line: Line) =>
    mean(line.of.map((row) => row[when][line.world]?.[turn] ?? Number.NaN)).toFixed(3);
  const columns: Column<Line>[] = [
    ['Learned in', ({ of }) => worldLabels[of[0]?.learns as WorldName]],
    ['Asked in', ({ world }) => worldLabels[world as WorldName]],
    ['Seeds', ({ of }) => of.length],
    ['One round, before', share('before', 0)],
    ['after', share('after', 0)],
    ['Two rounds, before', share('before', 1)],
    ['after', share('after', 1)],
  ];
  return rows.length === 0 ? '' : [factLine({ machine, backend }), table(columns, lines)].join('\n\n');
}
