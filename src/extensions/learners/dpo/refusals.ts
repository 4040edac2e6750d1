// Requirements of DPO on other settings. The requirements concern the source of the pairs, and label smoothing, which
// only some forms of the loss support.
import type { Row } from '../../../config/refusals/rule.ts';

export const refusals: readonly Row[] = [
  {
    when: { 'learning.pairsFrom': { not: ['imported', 'demonstrations'] } },
    needs: { 'learning.groupSize': { above: 1 } },
    says: '{learning.learner} forms pairs of rollouts of one problem, but each problem has only one rollout',
    remedies: [{ 'learning.groupSize': 2 }, { 'learning.pairsFrom': 'demonstrations' }],
  },
  {
    when: { 'learning.preferenceKind': ['hinge', 'ipo', 'ipoOfSum', 'simpo'] },
    needs: { 'learning.preferenceSmoothing': 0 },
    says: 'the {learning.preferenceKind} loss cannot be used with label smoothing',
    remedies: [{ 'learning.preferenceSmoothing': 0 }, { 'learning.preferenceKind': 'sigmoid' }],
  },
];
