// The schedule of the learning rates over the iterations of a run. The warm-up over the first updates is in
// update/optimiserStep.ts; both factors are multiplied.
import type { Config } from '../../config/schema.ts';

/**
 * The share of the learning rates that is used in an iteration (from 0). With n iterations, the linear share is 1 − i/n,
 * and the cosine share is ½ (1 + cos(π i/n)). Both are 1 in the first iteration and positive in the last one.
 */
export function rateShare({ optimiser, run }: Pick<Config, 'optimiser' | 'run'>, iteration: number): number {
  const passed = Math.min(1, iteration / run.iterations);
  if (optimiser.schedule === 'linear') return 1 - passed;
  if (optimiser.schedule === 'cosine') return 0.5 * (1 + Math.cos(Math.PI * passed));
  return 1;
}

/** The settings of a run with the learning rates of agents and critics in an iteration (from 0). */
export function scheduled(config: Config, iteration: number): Config {
  const share = rateShare(config, iteration);
  if (share === 1) return config;
  const { learningRate, muonRate, criticRate } = config.optimiser;
  const { mixingRate } = config.learning;
  return {
    ...config,
    learning: { ...config.learning, mixingRate: share * mixingRate },
    optimiser: {
      ...config.optimiser,
      ...{ learningRate: share * learningRate, muonRate: share * muonRate, criticRate: share * criticRate },
    },
  };
}
