// Measures transfer from one world to another with the same vocabulary: `npm run bench:transfer [-- --seeds 11,12,13]`.
// Two debaters imitate word problems and entailment in equal shares and then learn one of the two worlds by
// reinforcement. Both worlds are evaluated before and after, with a debate of one round and of two (MAPoRL 2502.18439
// evaluates by turn).
import { parseConfig } from '../../src/config/parse.ts';
import type { Config, ConfigInput } from '../../src/config/schema.ts';
import { decodingPolicy } from '../../src/model/decoding/decoder.ts';
import type { NamedArray } from '../../src/records/stored/checkpoint.ts';
import { evaluateTeam } from '../../src/training/evaluation/evaluate.ts';
import { disposeNetwork, freshState, uploadNetwork } from '../../src/training/team/network.ts';
import { assembleTeam } from '../../src/training/team/team.ts';
import { runRows } from '../shared/rowBench.ts';
import { machineOf, hashOf, seeds, type RowJob } from '../shared/rowStore.ts';
import { trainUntil } from '../shared/trainUntil.ts';
import { benchStart, startFrom, warmStartFile } from '../shared/warmStarts.ts';
import { transferTable, type TransferResults, type Turns } from './transferTable.ts';

const pair = ['wordProblems', 'entailment'] as const;
type Learned = (typeof pair)[number];
const rounds = [1, 2];
const both: ConfigInput = {
  world: { name: pair[0], also: [{ name: pair[1] }] },
  agents: { protocol: 'debate', count: 2 },
  reward: { across: 'mean' },
  warmStart: { source: 'train', steps: 3000 },
};

interface Job extends RowJob {
  learns: Learned;
}

const startConfig = (seed: number): Config => parseConfig({ ...both, run: { seed } });

function inWorld(config: Config, name: Learned, roundLimit = 0): Config {
  return {
    ...config,
    world: { ...config.world, name, also: [] },
    agents: { ...config.agents, roundLimit },
    evaluation: { ...config.evaluation, every: 1000 },
  };
}

await runRows({
  name: 'transfer',
  options: {},
  jobsOf,
  warm: ({ seed }) => benchStart(startConfig(seed)),
  measure: async ({ learns, seed }) => {
    const config = startConfig(seed);
    const start = await benchStart(config);
    const weights = (start.checkpoint.networks[0] as { weights: NamedArray[] }).weights;
    const run = await trainUntil(await startFrom(inWorld(config, learns), weights), () => false);
    if (run.failure !== '') throw new Error(run.failure);
    return {
      ...{ learns, seed, before: await byTurn(config, weights), after: await byTurn(config, run.weights) },
      seconds: run.seconds,
    };
  },
  describe: (row) => JSON.stringify([row.before, row.after]),
  results: (done): TransferResults => {
    const rows = seeds.flatMap(jobsOf).flatMap(({ key }) => done.get(key)?.result ?? []);
    return { machine: machineOf(done.values()), backend: 'simd', rows };
  },
  table: transferTable,
});

function jobsOf(seed: number): Job[] {
  const settings = { both, rounds };
  return pair.map((learns) => {
    const key = [learns, seed, hashOf(settings)].join(' ');
    return { name: learns, learns, seed, settings, key, warmStart: warmStartFile(startConfig(seed)) };
  });
}

/** Returns the accuracy in each world, by number of rounds. */
async function byTurn(config: Config, weights: NamedArray[]): Promise<Record<string, Turns>> {
  const measured: Record<string, Turns> = {};
  for (const world of pair) {
    measured[world] = [];
    for (const roundLimit of rounds) {
      const team = assembleTeam(inWorld(config, world, roundLimit));
      const network = uploadNetwork(freshState(weights, team.shape, false), team.shape);
      const policies = team.networkOf.map(() => decodingPolicy(network.tree, team.shape));
      const { accuracy } = await evaluateTeam(team, { policies, iteration: 0, withMasked: false });
      measured[world].push(accuracy);
      disposeNetwork(network);
    }
  }
  return measured;
}
