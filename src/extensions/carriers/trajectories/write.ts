// The dialogues as JSON Lines.
import { dialogues } from '../../../../cli/stored/carried.ts';

export const write = dialogues('jsonl');
