// Writes the metrics of each iteration as CSV.
import { metricsCsv } from '../../../formats/numbers/metricsTable.ts';
import { writeWhole } from '../../../../cli/files.ts';
import { numbersOf } from '../../../../cli/stored/carried.ts';
import type { Write } from '../../../../cli/stored/carrier.ts';

export const write: Write = async ({ archived }, _, file) =>
  writeWhole(file, metricsCsv((await numbersOf(archived)).rows));
