// The dialogues as JSON Lines.
import { trajectoriesIn } from '../../../../cli/stored/carried.ts';

export const write = trajectoriesIn('jsonl');
