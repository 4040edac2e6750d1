// The table of `npm run bench:worlds`: one row for each world and level, with its seeds next to each other.
import { mean } from '../../src/base/stats.ts';
import { worldForms, type WorldName } from '../../src/config/worlds/registry.ts';
import { lowTemperature } from '../../src/records/metrics.ts';
import { factLine, table, type Column } from '../shared/table.ts';
import type { WorldResult } from './once.ts';
import { leastGain, type PlannedWorld } from './plan.ts';

export type WorldRow = ReturnType<typeof worldRow>;
type SeedRow = WorldRow['seeds'][number];

export interface WorldsResults {
  machine: string;
  backend: string;
  rows: WorldRow[];
}

/** Returns one row from the finished seeds of a world. */
export function worldRow(
  { name, world }: PlannedWorld,
  level: number,
  results: readonly (WorldResult & { seed: number; commit: string })[],
) {
  const { learner, protocol, ceiling } = results[0] as WorldResult;
  const meanOf = (read: (result: WorldResult) => number) => mean(results.map(read));
  const least = Math.min(...results.map(({ before, after }) => after.accuracy - before.accuracy));
  return {
    ...{ preset: name, world, level, learner, protocol, ceiling },
    /** Processor time in seconds. */
    seconds: meanOf(({ seconds }) => seconds),
    iterations: meanOf(({ iterations }) => iterations),
    sampledTokens: meanOf(({ sampledTokens }) => sampledTokens),
    /** The share of an iteration's time that the world's own code takes. */
    worldShare: meanOf(({ worldShare }) => worldShare),
    /** Accuracies as shares; null if the world does not support such a team. */
    seeds: results.map(({ seed, commit, before, after, lowBefore, lowAfter, masked, single, vote }) => ({
      ...{ seed, commit, before: before.accuracy, after: after.accuracy },
      ...{ lowBefore: lowBefore?.accuracy ?? null, lowAfter: lowAfter?.accuracy ?? null },
      ...{ masked, single, vote },
    })),
    leastGain: least,
    /** Whether every seed gained enough. */
    isMet: least >= leastGain,
  };
}

/** Returns the value of each seed, in order. */
const each = (read: (seed: SeedRow) => number | null) => (row: WorldRow) => {
  const values = row.seeds.map(read);
  return values.every((value) => value === null) ? null : values.map((value) => value?.toFixed(2) ?? '–').join(' ');
};

const columns: Column<WorldRow>[] = [
  ['World', ({ world }) => worldForms[world as WorldName].label],
  ['Level', ({ level }) => level],
  ['Preset', ({ preset }) => `\`${preset}\``],
  ['Ceiling', ({ ceiling }) => ceiling.toFixed(2)],
  ['Before', each(({ before }) => before)],
  ['After', each(({ after }) => after)],
  [`Before at ${lowTemperature}`, each(({ lowBefore }) => lowBefore)],
  [`After at ${lowTemperature}`, each(({ lowAfter }) => lowAfter)],
  ['Least gain', ({ leastGain: gain }) => gain.toFixed(2)],
  ['Suddenly unheard', each(({ masked }) => masked)],
  ['Single', each(({ single }) => single)],
  ['Vote', each(({ vote }) => vote)],
  ['Seconds', ({ seconds }) => Math.round(seconds)],
  ['World’s own code', ({ worldShare }) => `${(100 * worldShare).toFixed(1)} %`],
];

export function worldsTable({ machine, backend, rows }: WorldsResults): string {
  return rows.length === 0 ? '' : [factLine({ machine, backend }), table(columns, rows)].join('\n\n');
}

/** Returns a finished seed as one line. */
export function lineOf({
  ceiling,
  before,
  after,
  masked,
  single,
  vote,
  iterations,
  seconds,
  worldShare,
}: WorldResult): string {
  const say = (value: number | null) => value?.toFixed(3) ?? '–';
  const [low, high] = [say(after.low), say(after.high)];
  return (
    `${say(before.accuracy)} → ${say(after.accuracy)} [${low}, ${high}], ceiling ${say(ceiling)}, ` +
    `masked ${say(masked)}, single ${say(single)}, vote ${say(vote)}, ${iterations} iterations, ${seconds.toFixed(0)} s, ` +
    `${(100 * worldShare).toFixed(1)} % of it in the world`
  );
}
