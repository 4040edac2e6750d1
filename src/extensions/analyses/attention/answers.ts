// Computes the attention of the network when it sampled one token of a dialogue.
import { ConfigError } from '../../../base/errors.ts';
import { spoken } from '../../../base/spoken.ts';
import type { LookAnswers } from '../../../training/review/analysis.ts';
import { attentionOf } from './attention.ts';

export const answers: Pick<LookAnswers, 'attention'> = {
  attention: {
    of: 'iteration',
    only: ({ trajectory }) => trajectory,
    answer: async (inspectable, { iteration, trajectory, turn, token }, { weightsAfter }) => {
      const said = inspectable.trajectories.find(({ index }) => index === trajectory);
      if (!said) throw new ConfigError(spoken`attention: iteration ${iteration} has no dialogue ${trajectory}.`);
      const look = await attentionOf({ ...inspectable, trajectory: said, turn, token });
      return { ...look, weightsAfter: weightsAfter ?? iteration };
    },
  },
};
