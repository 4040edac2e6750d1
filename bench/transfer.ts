// What is learned in one world, asked in another that speaks in the same words: `npm run bench:transfer [-- --seeds 11,12,13]`.
// Two debaters imitate word problems and entailment in equal shares, then learn in one of the two by reinforcement; both
// worlds are measured before and after, as a debate of one round and of two (MAPoRL 2502.18439 measures by turn). Rows are
// kept in bench/results/transfer.jsonl as they are finished; the table goes to bench/results/transfer.json.
import { parseConfig } from '../src/config/parse.ts';
import type { Config, ConfigInput } from '../src/config/schema.ts';
import { decodingPolicy } from '../src/model/decoding/decoder.ts';
import type { NamedArray } from '../src/records/checkpoint.ts';
import { evaluateTeam } from '../src/training/run/evaluate.ts';
import { disposeNetwork, freshState, uploadNetwork } from '../src/training/team/network.ts';
import { assembleTeam } from '../src/training/team/team.ts';
import { startBackend } from './shared/nodeBackend.ts';
import { hashOf, measureMissing, readRows, type RowJob } from './shared/rowStore.ts';
import { processor, readOptions, renewDocs, runBench, writeResults } from './shared/runner.ts';
import { trainUntil } from './shared/trainUntil.ts';
import { benchStart, startFrom, warmStartFile } from './shared/warmStarts.ts';
import { transferTable, type TransferResults, type TransferRow, type Turns } from './worlds/transferTable.ts';

const pair = ['wordProblems', 'entailment'] as const;
type Learned = (typeof pair)[number];
const rounds = [1, 2];
const file = 'bench/results/transfer.jsonl';
const both: ConfigInput = {
  world: { name: pair[0], second: pair[1] },
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
    world: { ...config.world, name, second: 'none' },
    agents: { ...config.agents, roundLimit },
    evaluation: { ...config.evaluation, every: 1000 },
  };
}

await runBench<Job, TransferRow>({
  measure: async ({ learns, seed }) => {
    await startBackend('simd', { ours: true });
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
  all: async (apart) => {
    const { values } = readOptions({ seeds: '11,12,13' });
    const settings = { both, rounds };
    const jobs = values.seeds.split(',').flatMap((text) =>
      pair.map((learns): Job => {
        const seed = Number(text);
        const key = [learns, seed, hashOf(settings)].join(' ');
        return { name: learns, learns, seed, settings, key, warmStart: warmStartFile(startConfig(seed)) };
      }),
    );
    const isWhole = await measureMissing({
      ...{ file, jobs, atOnce: 2 },
      warm: async ({ seed }: Job) => {
        await startBackend('simd', { ours: true });
        await benchStart(startConfig(seed));
      },
      measure: apart,
      describe: (row) => JSON.stringify([row.before, row.after]),
    });
    const done = readRows<TransferRow>(file);
    const rows = jobs.flatMap(({ key }) => done.get(key)?.result ?? []);
    const results: TransferResults = { machine: processor, backend: 'simd', rows };
    writeResults('transfer', results);
    console.log(transferTable(results));
    renewDocs();
    return isWhole;
  },
});

/** Shares right in each world, by the number of rounds. */
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
