// Adapts the coefficient of the KL in the reward after each iteration. The new coefficient depends on the measured KL
// in nats per token.
import { trunksOf } from '../../records/branch.ts';
import { adaptKlCoef } from '../maths/kl.ts';
import { stage } from '../stages/stage.ts';

export const adaptiveKlStage = stage({
  name: 'adaptive KL',
  phase: 'count',
  when: ({ kl }) => kl.isAdaptive,
  reads: ['before', 'paid'],
  run: ({ config, klCoef, before, paid }) => {
    const n = trunksOf(paid.trajectories).length;
    return { klCoef: adaptKlCoef(klCoef, { ...config.kl, kl: before.meanCharge, n }) };
  },
});
