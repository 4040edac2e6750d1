// The dialogues as a table.
import { dialogues } from '../../../../cli/stored/carried.ts';

export const write = dialogues('parquet');
