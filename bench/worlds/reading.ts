// Trains one agent that reads and remembers on short texts, and measures its answers about longer ones. It is trained
// and evaluated in the same mode: with recall of its notes or without.
import { Draws, streams } from '../../src/base/random.ts';
import { wilson } from '../../src/base/stats.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { presets } from '../../src/config/presets.ts';
import type { Config, ConfigInput } from '../../src/config/schema.ts';
import { decodingPolicy } from '../../src/model/decoding/decoder.ts';
import type { NamedArray } from '../../src/records/stored/checkpoint.ts';
import type { Evaluation } from '../../src/records/metrics.ts';
import type { Problem } from '../../src/records/problem.ts';
import type { Split, World } from '../../src/tasks/world.ts';
import { examinedTrajectories } from '../../src/training/evaluation/evaluate.ts';
import { disposeNetwork, freshState, uploadNetwork } from '../../src/training/team/network.ts';
import { assembleTeam } from '../../src/training/team/team.ts';
import { startBackend } from '../shared/nodeBackend.ts';
import { trainUntil, type Share } from '../shared/trainUntil.ts';
import { benchStart } from '../shared/warmStarts.ts';
import { texts, usualShare, type ReadingResult } from './recallTable.ts';

/** The number of problems for each kind of text. */
export const problemsOfText = 300;

const { world, agents, learning, memory, run } = presets.recall.settings;

/** A measured variant: with recall of notes or without, and the weight of the outcome advantage against the steps. */
export interface Way {
  recalls: boolean;
  outcomeShare: number;
}

/**
 * Returns the settings of a variant: distant evidence and the shipped warm start. r_action of ReMemR1 rewards notes.
 */
export const readingSettings = ({ recalls, outcomeShare }: Way): ConfigInput => ({
  ...{ world, agents },
  learning: { ...learning, outcomeShare },
  // If the outcome is the whole reward, the steps earn nothing.
  memory: { recall: recalls, ...(outcomeShare < 1 && memory) },
  evaluation: { every: 1000 },
  run,
});

/** The complete configuration of a row. */
export function readingConfig(seed: number, way: Way): Config {
  const settings = readingSettings(way);
  return parseConfig({ ...settings, run: { ...settings.run, seed } });
}

/** Trains from the warm start common to all variants, and evaluates on every kind of text. */
export async function readOnce(seed: number, way: Way): Promise<ReadingResult> {
  await startBackend('simd', { ours: true });
  const config = readingConfig(seed, way);
  const { checkpoint } = await benchStart(config);
  const { weights, seconds, failure, sampledTokens, evaluations } = await trainUntil(checkpoint, () => false);
  if (failure !== '') throw new Error(failure);
  const [before, after] = [evaluations[0], evaluations.at(-1)].map((found) => (found as Evaluation).accuracy) as [
    number,
    number,
  ];
  const right = way.outcomeShare === usualShare ? await measureTexts(config, weights) : [];
  return { before, after, right, sampledTokens, seconds };
}

/** Returns the accuracy on every kind of text. */
async function measureTexts(config: Config, weights: readonly NamedArray[]): Promise<Share[]> {
  const right: Share[] = [];
  for (const { level, split } of texts) {
    const team = assembleTeam({ ...config, world: { ...config.world, level } });
    const network = uploadNetwork(freshState([...weights], team.shape, false), team.shape);
    const policies = team.networkOf.map(() => decodingPolicy(network.tree, team.shape));
    const answered = await examinedTrajectories(team, problemsOf(team.world, level, split), { policies });
    disposeNetwork(network);
    const count = answered.filter(({ isRight }) => isRight).length;
    right.push({ accuracy: count / answered.length, ...wilson(count, answered.length) });
  }
  return right;
}

function problemsOf(world: World, level: number, split: Split): Problem[] {
  if (split === 'heldOut') return world.heldOut(level, problemsOfText);
  const draws = new Draws(0, streams.heldOut, level);
  return Array.from({ length: problemsOfText }, () => world.draw(level, draws, split));
}
