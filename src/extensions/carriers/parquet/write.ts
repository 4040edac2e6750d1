// The dialogues as a table.
import { trajectoriesIn } from '../../../../cli/stored/carried.ts';

export const write = trajectoriesIn('parquet');
