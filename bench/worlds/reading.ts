// One team that reads and remembers, trained on short texts, and what it answers about longer ones. It is trained and
// measured the same way: able to call notes back, or in a world where calling brings nothing back.
import { Draws, streams } from '../../src/base/random.ts';
import { wilson } from '../../src/base/stats.ts';
import { parseConfig } from '../../src/config/parse.ts';
import type { Config } from '../../src/config/schema.ts';
import { decodingPolicy } from '../../src/model/decoding/decoder.ts';
import type { NamedArray } from '../../src/records/checkpoint.ts';
import type { Problem } from '../../src/records/problem.ts';
import { worlds } from '../../src/tasks/registry.ts';
import type { Split, World } from '../../src/tasks/world.ts';
import { examinedTalk } from '../../src/training/run/evaluate.ts';
import { disposeNetwork, freshState, uploadNetwork } from '../../src/training/team/network.ts';
import { assembleTeam } from '../../src/training/team/team.ts';
import { startBackend } from '../shared/nodeBackend.ts';
import { trainUntil, type Share } from '../shared/trainUntil.ts';
import { benchStart } from '../shared/warmStarts.ts';
import { texts, type ReadingResult } from './recallTable.ts';

/** Problems of each kind of text. */
export const problemsOfText = 300;

/** Distant evidence, and as often what is easier; steps count beside the outcome, as in ReMemR1. */
export const readingConfig = (seed: number): Config =>
  parseConfig({
    world: { name: 'memory', level: 3, easier: 0.4 },
    agents: { protocol: 'memoryLoop' },
    learning: { problemsPerIteration: 16, outcomeShare: 0.8, groupStd: false },
    memory: { kept: 2, calledBack: 1 }, // r_action of the paper
    warmStart: { source: 'train', steps: 2000, batchSize: 32, goodPlans: 0.8 },
    evaluation: { every: 1000 },
    run: { seed, iterations: 100 },
  });

/** The same world, but nothing that is called back comes. */
export const withoutRecall = (world: World): World => ({
  ...world,
  ...(world.react && {
    react: (problem, state, message) =>
      (world.react as NonNullable<World['react']>)(problem, state, { ...message, text: message.text.replace(/<recall>.*$/s, '') }), // prettier-ignore
  }),
});

/** Trains from the warm start that both ways have in common, and measures every kind of text. */
export async function readOnce(seed: number, recalls: boolean): Promise<ReadingResult> {
  await startBackend('simd', { ours: true });
  const config = readingConfig(seed);
  const world = recalls ? worlds.memory : withoutRecall(worlds.memory);
  const { checkpoint } = await benchStart(config);
  const { weights, seconds, failure } = await trainUntil(checkpoint, () => false, world);
  if (failure !== '') throw new Error(failure);
  return { right: await measureTexts(config, world, weights), seconds };
}

/** Share right of every kind of text. */
async function measureTexts(config: Config, world: World, weights: readonly NamedArray[]): Promise<Share[]> {
  const right: Share[] = [];
  for (const { level, split } of texts) {
    const team = assembleTeam({ ...config, world: { ...config.world, level } }, world);
    const network = uploadNetwork(freshState([...weights], team.shape, false), team.shape);
    const policies = team.networkOf.map(() => decodingPolicy(network.tree, team.shape));
    const answered = await examinedTalk(team, problemsOf(world, level, split), { policies });
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
