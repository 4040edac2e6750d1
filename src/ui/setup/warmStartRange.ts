// How long a warm start may take before anything was measured here: between a fast machine and a busy, slow one. The slow
// times are those of two busy cores on the CPU path at the tiny size; six times as fast is common.
import { agentCount } from '../config/agentCount.ts';
import { parameterCount, sizes } from '../config/sizes.ts';
import type { Config } from '../config/schema.ts';

/** Seconds of 1,500 steps of 64 demonstrations, by level. */
const slowSeconds = [70, 150, 360, 600];
const spread = 6;

const parameters = (size: Config['agents']['size']) =>
  parameterCount({ ...sizes[size], vocabSize: 40, maxPositions: 1 });

/** The range in words, as `½ to 3 min`. */
export function warmStartRange({ world, agents, warmStart, learning }: Config): string {
  const isOne = agents.parameters === 'shared' || agents.parameters === 'lora' || agents.swapEvery > 0;
  const networks = isOne || learning.learner === 'cory' ? 1 : agentCount(agents);
  const largest = Math.max(parameters(agents.size), agents.otherSize === 'same' ? 0 : parameters(agents.otherSize));
  const work = (largest / parameters('tiny')) * networks * (warmStart.steps / 1500) * (warmStart.batchSize / 64);
  const slow = ((slowSeconds[world.level - 1] ?? 600) * work) / 60;
  const [from, to] = [slow / spread, slow].map(minutes);
  return from === to ? `about ${to} min` : `${from} to ${to} min`;
}

function minutes(count: number): string {
  if (count < 0.75) return '½';
  return String(count < 10 ? Math.round(count) : Math.round(count / 5) * 5);
}
