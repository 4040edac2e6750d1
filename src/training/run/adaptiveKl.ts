// An adaptive coefficient of the KL: it follows the KL measured in each iteration, in nats per token, as charged in the
// reward.
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
