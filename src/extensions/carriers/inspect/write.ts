// Writes the dialogues in the log format of Inspect AI.
import { trajectoriesIn } from '../../../../cli/stored/carried.ts';

export const write = trajectoriesIn('inspect');
