// Agents that differ: what sets those after the first apart from it.
import { choice } from '../field.ts';
import { otherSizes, otherVocabularies } from '../names.ts';

const unequal = { group: 'Networks', matters: [{ 'agents.parameters': ['heterogeneous'] }] };

export const heterogeneousFields = {
  otherSize: choice(otherSizes, 'same', {
    label: 'Size of the others',
    help: 'The size of all networks but that of the first agent, which has the size above.',
    source: 'MARFT 2504.16129',
    ...unequal,
    labels: { same: 'the same', micro: 'micro', tiny: 'tiny', small: 'small', medium: 'medium' },
  }),
  otherVocabulary: choice(otherVocabularies, 'same', {
    label: 'Vocabulary of the others',
    help: 'All agents but the first may have a token for each operator with the digit after it. What is said passes as text, and each listener reads it in its own tokens.',
    source: 'Cothink',
    ...unequal,
    labels: { same: 'the same', joined: 'operator and digit joined' },
  }),
};
