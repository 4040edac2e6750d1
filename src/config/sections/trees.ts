// Trees of dialogues: several candidates at every turn.
import { whole } from '../field.ts';
import { comparesCandidates, learnerIs } from '../learnerFacts.ts';

export const treeFields = {
  candidates: whole(1, {
    label: 'Candidates a turn',
    help: 'In training each turn is sampled this many times from the same context; the dialogue goes on from the best, and all are learned from, each against the others. Tokens and memory of rollouts grow as many times; use smaller groups to keep the cost. The score of a turn is the right-answer weight while the team can still be right by it, and its own parts. 1: no trees.',
    source: 'AT-GRPO 2510.11062',
    group: 'Turns',
    matters: [{ 'learning.learner': learnerIs(comparesCandidates) }],
    unit: 'candidates',
    min: 1,
    max: 8,
    step: 1,
  }),
};
