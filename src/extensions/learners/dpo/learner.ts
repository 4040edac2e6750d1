// DPO (2305.18290) on the team's own rollouts. The dialogues of a problem are ranked by their rewards (or by the
// verifier's scores). The best dialogue is paired with the worst, the second best with the second worst, and so on, as
// long as the values differ.
import { deadGroups } from '../../../training/maths/advantage.ts';
import { comparedBy } from '../../../training/imitation/minePreferences.ts';
import { minePairs } from '../../../training/maths/dpoLoss.ts';
import { preferenceOptions } from '../../../training/update/objectives.ts';
import type { Learner } from '../../../training/learners/learner.ts';
import { facts } from './facts.ts';

/** Smaller differences of rewards are rounding errors, because rewards are sums of a few numbers. */
const minGap = 1e-6;

export const learner: Learner = {
  ...facts,
  equation: 'L = −log σ(β·Δ), Δ = (log π − log π_ref) of the preferred − (log π − log π_ref) of the rejected',
  baseline: 'the rejected dialogue of the pair',
  deviations: [
    '1. The pairs are from the current iteration, so the training data change with the policy, while the reference stays frozen.',
    '2. Each side of a pair consists of all tokens that one agent of the network has generated in a dialogue. IPO and SimPO use the mean of the log-probabilities of these tokens, and the other losses use the sum.',
  ],
  advantages: ({ config, trajectories, batch }) => {
    const { pairsFrom } = config.learning;
    // Pairs from a file and pairs with demonstrations are handled elsewhere, so no advantages are computed here.
    if (pairsFrom === 'imported' || pairsFrom === 'demonstrations')
      return { advantages: new Float32Array(batch.ids.length) };
    const { worth, groups } = comparedBy(trajectories, pairsFrom === 'verifier' ? 'verifier' : 'reward');
    const pairOf = new Int32Array(trajectories.length).fill(-1);
    const sideOf = new Int32Array(trajectories.length);
    minePairs(worth, groups, { minGap }).forEach(({ winner, loser }, pair) => {
      pairOf[winner] = pairOf[loser] = pair;
      sideOf[winner] = 1;
      sideOf[loser] = -1;
    });
    const { groupCount, deadCount, loneCount } = deadGroups(worth, groups);
    const sides = Int32Array.from(batch.trajectoryIds, (id) => sideOf[id] as number);
    return {
      // 1 for a token of the preferred dialogue and −1 for a token of the rejected one: the direction in which the
      // probability of the token should change.
      advantages: batch.actionMask.map((is, at) => is * (sides[Math.floor(at / batch.length)] as number)),
      groups: { deadShare: groupCount > 0 ? deadCount / groupCount : 0, loneMembers: loneCount },
      objective: {
        kind: 'preference',
        options: preferenceOptions(config),
        pairIds: Int32Array.from(batch.trajectoryIds, (id) => pairOf[id] as number),
        sides,
      },
    };
  },
};
