// The rows of SFT in the comparison of learners (`npm run bench:learners`).
import type { StatedRow } from '../../../../bench/learners/row.ts';
import { presets } from '../../../config/presets.ts';

/** A run of this row has as many collected dialogues and optimiser steps as a run of the first preset. */
const { learning, optimiser } = presets.quick.settings;
const { problemsPerIteration, groupSize, updateEpochs, numMinibatches } = learning;

export const rows: readonly StatedRow[] = [
  {
    name: 'sft',
    variant: 'as published, its own right dialogues',
    form: 'published',
    settings: { learning: { learner: 'sft' } },
  },
  {
    name: 'sftSingle',
    variant: 'its own right dialogues, one for each problem',
    form: 'ours',
    settings: {
      learning: { learner: 'sft', problemsPerIteration, groupSize, updateEpochs, numMinibatches },
      optimiser,
    },
  },
];
