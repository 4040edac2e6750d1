// The results of `npm run bench:learn -- --opening`, as a table.
import { tInterval } from '../../src/base/intervals.ts';
import { mean, median } from '../../src/base/stats.ts';
import { lowTemperature } from '../../src/records/metrics.ts';
import { factLine, spread, table, type Column } from '../shared/table.ts';
import { openingLevels, openings, type Opening, type OpeningResult } from './opening.ts';

export interface OpeningRow extends OpeningResult {
  preset: Opening;
  level: number;
  seed: number;
}

export interface OpeningResults {
  machine: string;
  backend: string;
  rows: OpeningRow[];
}

const [opened, former] = openings;

/**
 * Returns the mean of the evaluations during training, without the warm start. It is higher if the same accuracy is
 * reached in fewer iterations.
 */
const onTheWay = ({ measured }: OpeningRow) => mean(measured.slice(1).map(({ accuracy }) => accuracy));
const last = ({ measured }: OpeningRow) => measured.at(-1) as OpeningRow['measured'][number];

/** Both presets with one level and seed. */
interface Pair {
  opened: OpeningRow;
  former: OpeningRow;
}

function pairsOf({ rows }: OpeningResults, level: number): Pair[] {
  const of = (preset: Opening) => rows.filter((row) => row.preset === preset && row.level === level);
  return of(opened).flatMap((row) => {
    const other = of(former).find(({ seed }) => seed === row.seed);
    return other ? [{ opened: row, former: other }] : [];
  });
}

/** Returns the first evaluation of one run that reaches the final accuracy of the other, or null. */
const passed = ({ opened: one, former: other }: Pair) =>
  one.measured.find(({ accuracy }) => accuracy >= last(other).accuracy) ?? null;

const isAhead = (pair: Pair) => onTheWay(pair.opened) > onTheWay(pair.former);

/**
 * Returns the time that one run needs to reach the other's final accuracy, as a share of the other's time, or a dash if
 * it never does.
 */
function shareOfSeconds(pair: Pair): string {
  const own = passed(pair)?.seconds;
  return own === undefined ? '–' : (own / last(pair.former).seconds).toFixed(2);
}

interface Line {
  level: number;
  pairs: Pair[];
}

const over =
  (of: (pair: Pair) => number): ((line: Line) => string) =>
  ({ pairs }) =>
    spread(tInterval(pairs.map(of)));
const middle = (of: (pair: Pair) => number | undefined, digits: number) => (line: Line) => {
  const found = line.pairs.map((pair) => of(pair) ?? Infinity);
  const value = median(found);
  return Number.isFinite(value) && value.toFixed(digits);
};

const columns: Column<Line>[] = [
  ['Level', ({ level }) => level],
  ['Seeds', ({ pairs }) => pairs.map((pair) => pair.opened.seed).join(', ')],
  [`${opened}, at the end`, over((pair) => last(pair.opened).accuracy)],
  [`${former}, at the end`, over((pair) => last(pair.former).accuracy)],
  ...openings.map((preset, i): Column<Line> => [
    `${preset}, at temperature ${lowTemperature}`,
    ({ pairs }) => {
      const low = pairs.flatMap((pair) => (i === 0 ? pair.opened : pair.former).lowAfter?.accuracy ?? []);
      return low.length === pairs.length && spread(tInterval(low));
    },
  ]),
  ['Difference by seed', over((pair) => last(pair.opened).accuracy - last(pair.former).accuracy)],
  ['On the way: difference by seed', over((pair) => onTheWay(pair.opened) - onTheWay(pair.former))],
  ['Seeds ahead on the way', ({ pairs }) => `${pairs.filter(isAhead).length} of ${pairs.length}`],
  [`${former}: seconds`, middle((pair) => last(pair.former).seconds, 1)],
  [`${opened}: seconds until equally accurate`, middle((pair) => passed(pair)?.seconds, 1)],
  ['Share of its seconds, by seed', ({ pairs }) => pairs.map(shareOfSeconds).join(' ')],
  ['Iterations until equally accurate', middle((pair) => passed(pair)?.iteration, 0)],
];

export function openingTable(results: OpeningResults): string {
  const lines = openingLevels.map((level) => ({ level, pairs: pairsOf(results, level) }));
  const facts = factLine({ machine: results.machine, backend: results.backend });
  return `${facts}\n\n${table(
    columns,
    lines.filter(({ pairs }) => pairs.length > 0),
  )}`;
}
