// Writes the metrics of each iteration to a file for TensorBoard.
import { tensorBoardFile } from '../../../formats/numbers/tensorBoard.ts';
import { writeWhole } from '../../../../cli/files.ts';
import { numbersOf } from '../../../../cli/stored/carried.ts';
import type { Write } from '../../../../cli/stored/carrier.ts';

export const write: Write = async ({ archived, run }, _, file) =>
  writeWhole(file, tensorBoardFile({ createdMs: run.createdMs, ...(await numbersOf(archived)) }).bytes);
