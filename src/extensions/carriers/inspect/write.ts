// Writes the dialogues as a log of Inspect AI.
import { trajectoriesIn } from '../../../../cli/stored/carried.ts';

export const write = trajectoriesIn('inspect');
