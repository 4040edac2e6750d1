// Tests how much memory a run may use in addition to the tensors that it keeps. Also tests which runs are refused
// because there is too little memory.
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { parseConfig } from '../../config/parse.ts';
import type { Config } from '../../config/schema.ts';
import { memoryBytes } from '../../engine/memory.ts';
import { decodingPolicy, fittingRows } from '../../model/decoding/decoder.ts';
import { mostKeptBytes } from '../../model/decoding/decodingStates.ts';
import { initialWeights } from '../../model/network/parameters.ts';
import { collectRollouts } from '../collect/collect.ts';
import { demonstrate } from '../imitation/demonstrations.ts';
import { refuseTooLarge, refuseWithoutRoom, restingBytes, rowsTogether } from './memory.ts';
import { scoringTokens, updateBytes, updateTokens } from './microbatches.ts';
import { disposeNetwork, freshState, uploadNetwork } from '../team/network.ts';
import { rowLogprobs } from './oldFacts.ts';
import { measureIteration } from '../preflight/preflight.ts';
import { buildRows } from './rows.ts';
import { assembleTeam } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { openGate, startRun } from '../testing/microRun.ts';
import { costOf } from '../preflight/trial.ts';
import { updateNetwork } from '../update/update.ts';

onCpu();

const gate = openGate();
const mebibyte = 2 ** 20;

const configOf = (size: 'micro' | 'tiny' | 'small', level: number) =>
  parseConfig({
    agents: { size, stopWhenTruncated: false, maskUnfinished: false },
    world: { level },
    learning: { problemsPerIteration: 4, updateEpochs: 1, numMinibatches: 1 },
    warmStart: { batchSize: 64, source: 'none' },
  });

/** A network with random weights and `roomBytes` of free memory. */
async function withRoom(config: Config, roomBytes: number, use: (of: ReturnType<typeof opened>) => Promise<void>) {
  const of = opened(config, roomBytes);
  try {
    await use(of);
  } finally {
    disposeNetwork(of.network);
  }
}

function opened(config: Config, roomBytes: number) {
  const team = assembleTeam(config);
  const network = uploadNetwork(freshState(initialWeights(team.shape, 0), team.shape, false), team.shape, false);
  return { config, team, network: Object.assign(network, { roomBytes }) };
}

const cases = [
  ['micro', 1, 2],
  ['tiny', 1, 8],
  ['tiny', 3, 16],
  ['small', 2, 32],
] as const;

describe.each(cases)('%s on level %i with %i MiB', (size, level, room) => {
  const config = configOf(size, level);
  const bytes = room * mebibyte;

  it('holds as many dialogues at once as fit', async () => {
    await withRoom(config, bytes, async ({ team, network }) => {
      const memory = { bytes, sessions: 2 };
      const policies = team.networkOf.map(() => decodingPolicy(network.tree, team.shape, undefined, memory));
      const { transientBytes, keptBytes } = await costOf(() => collectRollouts(team, { policies, iteration: 0 }));
      expect(policies[0]?.mostRows).toBeLessThan(32);
      expect(transientBytes + keptBytes).toBeLessThan(bytes);
      expect(transientBytes + keptBytes).toBeGreaterThan(bytes / 12); // the memory used is not far below the limit
    });
  });

  it('scores and learns from as many rows at once as fit', async () => {
    await withRoom(config, mostKeptBytes + bytes, async ({ team, network }) => {
      const batch = buildRows(demonstrate(team, 0), [0, 1], team.tokens);
      const tokens = batch.rows * batch.length;
      expect(Math.min(6144, tokens)).toBeGreaterThan(updateTokens(network, batch.length));
      expect(scoringTokens(network, batch.length)).toBeGreaterThan(updateTokens(network, batch.length));
      const none = new Float32Array(0);
      const facts = { advantages: new Float32Array(tokens).fill(1), returns: none, oldValues: none, refLogprobs: none };
      const context = { config, iteration: 0, gate, klCoef: 0, maxActionTokens: team.maxActionTokens };
      const update = await costOf(() => updateNetwork(network, batch, facts, context));
      expect(update.transientBytes).toBeLessThan(bytes);
      expect(update.transientBytes).toBeGreaterThan(bytes / 4);
      const scoring = await costOf(() => rowLogprobs(batch, { network, temperature: 1, gate }));
      expect(scoring.transientBytes).toBeLessThan(bytes);
    });
  });
});

it('leaves the usual networks what they had: 3,072 tokens to learn from, 512 dialogues at once', async () => {
  const run = await startRun({ agents: { size: 'tiny', roundLimit: 0 } });
  const [network] = run.session.trainState.networks;
  expect(network && updateTokens(network, 64)).toBe(3072);
  expect(network && scoringTokens(network, 64)).toBe(6144);
  const left = 0.8 * memoryBytes() - restingBytes(run.session.trainState);
  expect(network?.roomBytes).toBeLessThan(left);
  expect(network?.roomBytes).toBeGreaterThan(0.99 * left);
});

it('takes no more for the talks of a usual network where there is more memory, and all of it for a large one', () => {
  const gibibyte = 2 ** 30;
  const rows = (size: 'tiny' | 'medium', numLayers: number, bytes: number, usualBytes = bytes) => {
    const { shape } = assembleTeam(parseConfig({ agents: { size } }));
    return fittingRows({ ...shape, numLayers }, { bytes, usualBytes, sessions: 2 });
  };
  expect(rows('tiny', 2, 2 * gibibyte, gibibyte / 2)).toBe(rows('tiny', 2, gibibyte / 2));
  expect(rows('medium', 3000, gibibyte / 2)).toBeLessThan(8);
  expect(rows('medium', 3000, 2 * gibibyte, gibibyte / 2)).toBe(rows('medium', 3000, 2 * gibibyte));
});

describe('a run that cannot fit', () => {
  it('is refused before anything of it is tried, with the setting that mends it', async () => {
    const run = await startRun();
    for (const network of run.session.trainState.networks) network.roomBytes = mebibyte;
    const refusal = measureIteration(run.session.trainState);
    await expect(refusal).rejects.toThrow(ConfigError);
    await expect(refusal).rejects.toThrow(/^agents\.size: .* this engine has \d+ MiB; use agents\.roundLimit = 1\.$/);
    const [needed = 0, has = 0] =
      String(await refusal.catch((error: unknown) => error))
        .match(/\d+(?= MiB)/g)
        ?.map(Number) ?? [];
    expect(needed).toBeGreaterThan(has);
  });

  it.each([
    ['a row', { ratioLevel: 'token', aggregation: 'token' }],
    ['a dialogue with one ratio', { ratioLevel: 'dialogue', aggregation: 'dialogue' }],
    ['a pair of dialogues', { learner: 'dpo' }],
  ] as const)('is one in which %s does not fit, and no other', async (unit, learning) => {
    const run = await startRun({ learning });
    const { networks } = run.session.trainState;
    const [network] = networks as [(typeof networks)[number]];
    const { fixed, each } = updateBytes(network, network.shape.maxPositions);
    const rows = unit === 'a row' ? 1 : unit === 'a pair of dialogues' ? 4 : 2;
    const needed = fixed + rows * network.shape.maxPositions * each;
    for (const one of networks) one.roomBytes = needed;
    expect(() => refuseWithoutRoom(run.session.trainState)).not.toThrow();
    for (const one of networks) one.roomBytes = needed - 1;
    expect(() => refuseWithoutRoom(run.session.trainState)).toThrow(ConfigError);
  });

  it.each([
    ['token', 1],
    ['turn', 1],
    ['trajectory', 7],
    ['dialogue', 14],
  ] as const)(
    'with a fresh context for each of seven turns of two agents, the %s ratio ties %i rows',
    (ratioLevel, rows) => {
      const config = parseConfig({ learning: { ratioLevel, aggregation: ratioLevel } });
      const team = assembleTeam(config);
      const fresh = { ...team, protocol: { ...team.protocol, context: 'fresh' as const } };
      expect(rowsTogether({ ...fresh, settings: { ...team.settings, roundLimit: 7 } }, 0)).toBe(rows);
    },
  );

  it('is not one whose dialogue is longer than a microbatch: its rows are parted', async () => {
    const run = await startRun({ agents: { protocol: 'debate', count: 8, roundLimit: 4 } });
    const { team, networks } = run.session.trainState;
    const [{ shape }] = networks as [(typeof networks)[number]];
    expect(team.networkOf.length * shape.maxPositions).toBeGreaterThan(3072);
    expect(() => refuseWithoutRoom(run.session.trainState)).not.toThrow();
  });

  it('is refused by the forecast', () => {
    const team = assembleTeam(parseConfig({ agents: { size: 'medium' } }));
    expect(() => refuseTooLarge({ team }, 0.9 * memoryBytes())).not.toThrow();
    expect(() => refuseTooLarge({ team }, 0.9 * memoryBytes() + 1)).toThrow(/use agents\.size = tiny\.$/);
  });
});
