// A trainer is another program that continues the training of one agent of a stored run, from the folder that `cothink
// export --for NAME` writes. Each trainer is in src/extensions/trainers/NAME: `facts.ts` is plain data for the help,
// `trainer.ts` is loaded once the trainer is chosen, and `reward.py` contains the function that the trainer calls for
// rewards.
import type { LearnerName } from '../../src/config/learners/registry.ts';
import type { Role } from '../../src/records/ids.ts';
import type { PreferenceText } from '../../src/records/stored/preference.ts';
import type { CounterpartTable, Recipe } from './counterparts.ts';
import type { Prompt } from './examples.ts';

export interface TrainerFacts {
  /** The value of `--for` that selects this trainer. */
  name: string;
  label: string;
  /** The sort key in lists. */
  order: number;
  /** A description in a few words, for the help. */
  remark: string;
  /** The trainer's names for Cothink's learners. Learners that are not available in the trainer are absent. */
  learners: Readonly<Partial<Record<LearnerName, string>>>;
  example: readonly [line: string, does: string];
}

/** The data from which the files of a folder are written. */
export interface Taught {
  recipe: Recipe;
  role: Role;
  /** Examples for training and evaluation; no problem appears in both. */
  prompts: { train: readonly Prompt[]; test: readonly Prompt[] };
  pairs: readonly PreferenceText[];
}

export interface TrainerFile {
  content: string | Uint8Array;
  /** A description of the file for the README. Absent for a settings file, because the README lists its settings. */
  says?: string;
}

export interface Trainer {
  /** For each settings file of the trainer, the table from which the file is written. */
  settings: Readonly<Record<string, CounterpartTable>>;
  /** The files that the trainer reads in addition to the model and the reward function, in the order of the README. */
  files: (taught: Taught) => Readonly<Record<string, TrainerFile>>;
  /** The shell commands that install and start the trainer. */
  commands: (taught: Taught) => string;
  /**
   * How the trainer's folder differs if there are no preference pairs, as the end of a sentence; absent if the trainer
   * reads no pairs.
   */
  withoutPairs?: string;
}
