// The card on the page with the formula of REINFORCE++.
import { mean, std } from '../../../base/stats.ts';
import { parts, type TermValues } from '../../../records/formula.ts';
import { columnsOf, type LearnerFormula } from '../../../training/learners/formula.ts';
import { agentSequences } from '../../../training/learners/tokenRewards.ts';
import { returnsToGo } from '../../../training/maths/advantage.ts';
import { whitenedTogether } from './learner.ts';

export const formula: LearnerFormula = {
  advantage: () => parts`(${'toGo'} − ${'batchMean'}) / √(${'batchSpread'}² + 10⁻⁸)`,
  constants: ({ learning }) => ({ gamma: learning.gamma }),
  terms: (collected) => {
    const sequences = agentSequences(collected);
    const returns = sequences.map(({ rewards, discounts }) => returnsToGo(rewards, discounts));
    const known: TermValues[] = [];
    for (const together of whitenedTogether(sequences, collected)) {
      const all = together.flatMap((place) => [...(returns[place] as Float64Array)]);
      const ofBatch = { batchMean: mean(all), batchSpread: std(all) };
      for (const place of together)
        sequences[place]?.at.forEach((flat, i) => (known[flat] = { toGo: returns[place]?.[i] as number, ...ofBatch }));
    }
    return columnsOf(known, collected);
  },
  isUniform: () => false,
};
