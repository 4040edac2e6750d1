// The dialogues as a log of Inspect AI.
import { dialogues } from '../../../../cli/stored/carried.ts';

export const write = dialogues('inspect');
