// Reads a data set from a file. The columns of the first rows show the shape of the data set, that is, which of the
// known data sets it is. Each row is then converted to a problem, or refused with a reason. The whole file is refused
// only if none of its first rows has the columns of a known shape.
import { FormatError } from '../../base/errors.ts';
import { shortened } from '../../base/quote.ts';
import { inTongue, spoken } from '../../base/spoken.ts';
import {
  datasetShapes,
  shapeNames,
  type Example,
  type PlacedExample,
  type Rejection,
  type RowUnit,
  type ShapeName,
} from '../../config/worlds/imported.ts';
import { hotpotQA, twoWiki } from './multiHop.ts';
import { humanEval } from './programs.ts';
import { openSource } from './source.ts';
import type { SourceRow } from './jsonRows.ts';
import { anli } from './labels.ts';
import { gsm8k } from './sums.ts';
import type { ReadOptions, ShapeReader } from './reading.ts';

const readers: Readonly<Record<ShapeName, ShapeReader>> = { gsm8k, anli, hotpotQA, twoWiki, humanEval };

/** The number of rows at the beginning of the file from which the shape is recognised. */
const firstRows = 200;
/**
 * The maximum number of problems that are kept, and the maximum number of characters in all of these problems together.
 * The limits are needed because all kept problems are stored, although a run draws far fewer.
 */
const mostExamples = 50_000;
const mostSigns = 60_000_000;

export interface Dataset {
  shape: ShapeName;
  unit: RowUnit;
  examples: PlacedExample[];
  rejections: Rejection[];
  /** Number of rows that were read. */
  rows: number;
  /** Whether reading stopped at a limit, so that the remaining rows of the file were not read. */
  isCut: boolean;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The shape whose columns occur in most of these rows. Throws FormatError if no row has the columns of any shape. */
function shapeOf(rows: readonly SourceRow[]): ShapeName {
  const records = rows.map(({ value }) => value).filter(isRecord);
  const counts = shapeNames.map((name) => ({ name, count: records.filter((row) => readers[name].isOf(row)).length }));
  const best = counts.reduce((a, b) => (b.count > a.count ? b : a));
  if (best.count > 0) return best.name;
  const known = shapeNames
    .map((name) => `${datasetShapes[name].label} (${inTongue(datasetShapes[name].columns)})`)
    .join('; ');
  const [fault] = rows.flatMap((row) => (row.fault === undefined ? [] : [spoken`row ${row.at}: ${row.fault}`]));
  const columns = records[0] ? shortened(Object.keys(records[0]).join(', ')) : (fault ?? spoken`no rows`);
  throw new FormatError(spoken`the file: expected rows in one of these formats: ${known}; got ${columns}.`);
}

const unitWord = (unit: RowUnit) => (unit === 'line' ? spoken`line` : unit === 'entry' ? spoken`entry` : spoken`row`);

const key = ({ shown, hidden }: Example) => JSON.stringify([shown, hidden]);

/**
 * Reads a file; `onRead` receives the number of bytes read so far, and may throw an error to stop the reading. Throws
 * FormatError if a Parquet file is damaged, or if no row has a known shape.
 */
export async function readDataset(
  file: Blob,
  options: ReadOptions,
  onRead?: (bytes: number) => void,
): Promise<Dataset> {
  const { unit, rows } = await openSource(file, onRead);
  const head: SourceRow[] = [];
  while (head.length < firstRows) {
    const { done, value } = await rows.next();
    if (done) break;
    head.push(value);
  }
  const shape = shapeOf(head);
  const dataset: Dataset = { ...{ shape, unit, examples: [], rejections: [] }, rows: 0, isCut: false };
  const firstOf = new Map<string, number>();
  let signs = 0;
  const take = (row: SourceRow) => {
    dataset.rows++;
    const read = row.fault ?? readers[shape].read(row.value, options);
    const before = typeof read === 'string' ? undefined : firstOf.get(key(read));
    if (typeof read === 'string' || before !== undefined) {
      const reason =
        typeof read === 'string' ? read : spoken`the example is the same as ${unitWord(unit)} ${before as number}`;
      dataset.rejections.push({ row: row.at, reason, begins: row.begins });
      return;
    }
    const itself = key(read);
    signs += itself.length;
    firstOf.set(itself, row.at);
    dataset.examples.push({ ...read, row: row.at });
  };
  head.forEach(take);
  for await (const row of rows) {
    if (dataset.examples.length >= mostExamples || signs >= mostSigns) return { ...dataset, isCut: true };
    take(row);
  }
  return dataset;
}
