// The rows of `npm run bench:learn -- --levels` and `-- --cross`: the team trained on one of the levels with a shipped
// warm start, and the cross-play of the teams of several seeds.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseConfig } from '../../src/config/parse.ts';
import { firstPreset, presets, type PresetName } from '../../src/config/presets.ts';
import type { Config } from '../../src/config/schema.ts';
import { findShipped } from '../../src/config/warmStarts.ts';
import { worldForms } from '../../src/config/worlds/registry.ts';
import { readSafetensors, writeSafetensors } from '../../src/formats/safetensors.ts';
import type { Checkpoint, NamedArray } from '../../src/records/stored/checkpoint.ts';
import type { AnswersOf } from '../../src/records/metrics.ts';
import { evaluateSeats } from '../../src/training/run/seats.ts';
import { memoryStore } from '../../src/training/run/memoryStore.ts';
import { openRun } from '../../src/training/testing/microRun.ts';
import { hashOf } from '../shared/rowStore.ts';
import { loadShipped } from '../shared/shippedWeights.ts';
import { share, trainUntil, type Share } from '../shared/trainUntil.ts';
import { startFrom } from '../shared/warmStarts.ts';

/** The folder in which the trained weights of one row are kept for another. */
const folder = '.cache/benchLearned';

export interface LevelResult {
  before: Share;
  after: Share;
  /** The accuracy at low temperature. */
  lowBefore: Share | null;
  lowAfter: Share | null;
  /** The value of several answers before and after, for all problems and for each slice. */
  answersBefore: AnswersOf[];
  answersAfter: AnswersOf[];
  /** Accuracy on problems of the same level that are harder than those of training. */
  harderBefore: number;
  harderAfter: number;
  /** The accuracy on the level above; null for the highest level. */
  nextBefore: number | null;
  nextAfter: number | null;
  iterations: number;
  sampledTokens: number;
  /** Processor time in seconds. */
  seconds: number;
}

export interface CrossResult {
  /** The seed with which each agent was trained; null: the warm start. */
  seeds: (number | null)[];
  /** [planner][reasoner] share right. */
  accuracy: number[][];
}

/** The preset that teaches a level. */
export const presetOf = (level: number): PresetName => (level < 3 ? firstPreset : 'longSum');

/** Returns the configuration of a level with its preset, from the shipped warm start. */
export const levelConfig = (level: number, seed: number): Config =>
  parseConfig({ ...presets[presetOf(level)].settings, world: { level }, run: { seed } });

/** Levels of house-rule arithmetic with a shipped warm start. */
export const levels = worldForms.houseRule.levels
  .map(({ level }) => level)
  .filter((level) => findShipped(levelConfig(level, 1)));

const fileOf = (config: Config) => `${folder}/${config.world.level}-${config.run.seed}-${hashOf(config)}.safetensors`;

async function startOf(config: Config): Promise<Checkpoint> {
  return startFrom(config, await loadShipped(config));
}

/** Trains the team, stores the trained weights and returns its results. */
async function trained(config: Config) {
  const start = await startOf(config);
  const run = await trainUntil(start, () => false, { atLowTemperature: true });
  if (run.failure !== '') throw new Error(run.failure);
  mkdirSync(folder, { recursive: true });
  writeFileSync(fileOf(config), writeSafetensors(run.weights, {}));
  return { run, start };
}

/** A checkpoint in which one network speaks for all agents. */
const withWeights = (start: Checkpoint, weights: NamedArray[]): Checkpoint => ({
  ...start,
  networks: start.networks.map((network) => ({ ...network, weights })),
});

const seated = (checkpoints: readonly Checkpoint[]) =>
  checkpoints.map((checkpoint) => ({ checkpoint, name: `seed ${checkpoint.config.run.seed}` }));

/** Returns the accuracy on harder problems of the level, and on the level above. */
async function beyond(checkpoint: Checkpoint): Promise<{ harder: number; next: number | null }> {
  const { session } = openRun(checkpoint, { store: memoryStore({ keepsIterations: false }) });
  const { places = [] } = await session.evaluate('everywhere');
  await session.dispose();
  const { name, level } = checkpoint.config.world;
  const at = (split: string, there: number) =>
    places.find((place) => place.world === name && place.split === split && place.level === there)?.accuracy;
  return { harder: at('harder', level) as number, next: at('heldOut', level + 1) ?? null };
}

/** Trains and measures one level with one seed. */
export async function learnLevel(level: number, seed: number): Promise<LevelResult> {
  const { run, start } = await trained(levelConfig(level, seed));
  const end = withWeights(start, run.weights);
  const [before, after] = [await evaluateSeats(seated([start, start])), await evaluateSeats(seated([end, end]))];
  const [beyondBefore, beyondAfter] = [await beyond(start), await beyond(end)];
  const { iterations, sampledTokens, seconds, lowBefore, lowAfter } = run;
  return {
    ...{ before: share(before), after: share(after), lowBefore, lowAfter },
    ...{ answersBefore: before.answers ?? [], answersAfter: after.answers ?? [] },
    ...{ harderBefore: beyondBefore.harder, harderAfter: beyondAfter.harder },
    ...{ nextBefore: beyondBefore.next, nextAfter: beyondAfter.next },
    ...{ iterations, sampledTokens, seconds },
  };
}

/** Measures each planner with each reasoner, from the warm start and from each seed. Trains agents that are missing. */
export async function crossPlay(seeds: readonly number[]): Promise<CrossResult> {
  const configs = seeds.map((seed) => levelConfig(1, seed));
  const start = await startOf(configs[0] as Config);
  const teams = [start];
  for (const config of configs) {
    if (!existsSync(fileOf(config))) await trained(config);
    teams.push(withWeights(await startOf(config), readSafetensors(readFileSync(fileOf(config))).tensors));
  }
  const accuracy: number[][] = [];
  for (const planner of teams) {
    const row: number[] = [];
    for (const reasoner of teams) row.push((await evaluateSeats(seated([planner, reasoner]), null)).accuracy);
    accuracy.push(row);
  }
  return { seeds: [null, ...seeds], accuracy };
}
