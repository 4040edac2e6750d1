// Predicts how long the training of a warm start will take on this machine. The forecast is based on a few supervised
// steps, taken with networks that are then discarded. The time for compiling and recording new shapes of rows is not
// included.
import { parameterCount } from '../../config/sizes.ts';
import { imitatesChats, teachesAdapters, trainsWarmStart } from '../../config/warmStarts.ts';
import type { WarmStartRest } from '../../records/events.ts';
import { Gate } from '../team/gate.ts';
import { disposeNetwork } from '../team/network.ts';
import { assembleTeam, type Team } from '../team/team.ts';
import { startingNetworks, type WarmStartRequest } from '../imitation/trainedHere.ts';
import { costOf, tryTwice } from './trial.ts';
import { lastStep, modelSchedule, superviseStep, warmStartSchedule } from '../imitation/warmStart.ts';
import { adapterStartKey, warmStartBasis, warmStartKey } from '../imitation/warmStartBasis.ts';

/**
 * If the number of parameters times the number of demonstrations is larger than this, a trial step uses only a few
 * demonstrations.
 */
const largeStep = 2e7;

/**
 * The remaining work of a warm start, or of adapters that first imitate demonstrations. The result is null if nothing
 * has to be trained, either because the run starts from other weights, or because the trained weights are already
 * stored.
 */
export async function forecastWarmStart({
  config,
  backend,
  warmStarts,
  gate = new Gate(),
}: WarmStartRequest): Promise<WarmStartRest | null> {
  if (teachesAdapters(config) && !imitatesChats(config)) {
    // A step of a large model takes long, so it is not tried beforehand.
    const { steps } = modelSchedule(config);
    const step = (await warmStarts?.load(adapterStartKey(config, backend)))?.step ?? 0;
    return step === steps ? null : { share: step / steps };
  }
  if (!trainsWarmStart(config)) return null;
  const { step = 0, masteredAt } = (await warmStarts?.load(warmStartKey(config, backend))) ?? {};
  const steps = lastStep({ ...warmStartSchedule(config), masteredAt });
  if (step === steps) return null;
  const stepMs = await measureStep(assembleTeam(warmStartBasis(config)), gate);
  return { share: step / steps, msLeft: stepMs * (steps - step) };
}

async function measureStep(team: Team, gate: Gate): Promise<number> {
  const networks = startingNetworks(team, null);
  const { batchSize } = team.config.warmStart;
  const attempt = (demonstrations: number) => {
    const warmStart = { ...team.config.warmStart, batchSize: demonstrations };
    return superviseStep({ ...team, config: { ...team.config, warmStart } }, networks, {
      step: 0,
      gate,
      onLoss: () => undefined,
    });
  };
  try {
    const size = team.shapes.reduce((sum, shape) => sum + parameterCount(shape), 0) * batchSize;
    if (size <= largeStep) return (await costOf(() => attempt(batchSize))).ms;
    const few = [Math.ceil(batchSize / 8), Math.ceil(batchSize / 4)] as const;
    const cost = await tryTwice(few, (count) => count, attempt);
    return cost(batchSize).ms;
  } finally {
    for (const network of networks) disposeNetwork(network);
  }
}
