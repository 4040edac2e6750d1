// Measures the benefit of a curriculum. `npm run bench:curriculum` starts from weights that were trained on the first
// level of a world and compares three ways to the third level with the same number of sampled tokens: the third level
// from the start, level by level, or all levels mixed. `-- entailment` measures only this world. Options: `--seeds
// 11,12` (11,12,13), `--at-once N` (2). Rows are stored in bench/results/curriculum.jsonl as they are finished; the
// table is written to bench/results/curriculum.json.
import { parseConfig } from '../../src/config/parse.ts';
import type { Config } from '../../src/config/schema.ts';
import { decodingPolicy } from '../../src/model/decoding/decoder.ts';
import type { NamedArray } from '../../src/records/stored/checkpoint.ts';
import { evaluateTeam } from '../../src/training/evaluation/evaluate.ts';
import { disposeNetwork, freshState, uploadNetwork } from '../../src/training/team/network.ts';
import { assembleTeam } from '../../src/training/team/team.ts';
import { startBackend } from '../shared/nodeBackend.ts';
import { hashOf, machineOf, measureMissing, readRows, type RowJob } from '../shared/rowStore.ts';
import { readOptions, renewDocs, runBench, writeResults } from '../shared/runner.ts';
import { loadShipped } from '../shared/shippedWeights.ts';
import { trainUntil } from '../shared/trainUntil.ts';
import { startFrom } from '../shared/warmStarts.ts';
import {
  curriculumTable,
  levels,
  ways,
  type CurriculumResult,
  type CurriculumResults,
  type Way,
} from './curriculumTable.ts';

const file = 'bench/results/curriculum.jsonl';
const problems = 512;

interface Job extends RowJob {
  way: Way;
}

await runBench<Job, CurriculumResult>({
  measure: async ({ way, seed }) => {
    await startBackend('simd', { ours: true });
    const config = configOf(way, seed);
    const start = await loadShipped({ ...config, world: { ...config.world, level: 1 } });
    const raised: number[] = [];
    const run = await trainUntil(await startFrom(config, start), (session) => {
      if (config.world.raiseAt > 0 && session.config.world.level > raised.length + 1)
        raised.push(session.sampledTokens);
      return session.sampledTokens >= way.tokens;
    });
    if (run.failure !== '') throw new Error(run.failure);
    const { iterations, sampledTokens, seconds } = run;
    const [before, after] = [await byLevel(config, start), await byLevel(config, run.weights)];
    return { before, after, raised, sampledTokens, iterations, seconds };
  },
  all: async (apart) => {
    const { values, positionals, wholeNumber } = readOptions({ seeds: '11,12,13', 'at-once': '2' });
    const seeds = values.seeds.split(',').map(Number);
    const wanted = ways.filter(({ world }) => positionals.length === 0 || positionals.includes(world));
    const jobs = seeds.flatMap((seed) => wanted.map((way) => jobOf(way, seed)));
    const isWhole = await measureMissing({
      ...{ file, jobs, atOnce: wholeNumber('at-once') },
      warm: () => Promise.resolve(),
      measure: apart,
      describe: ({ after, raised }) =>
        `${after.map((share) => share.toFixed(3)).join(', ')}; raised ${raised.join(', ')}`,
    });
    const done = readRows<CurriculumResult>(file);
    const results: CurriculumResults = {
      ...{ machine: machineOf(done.values()), backend: 'simd', problems },
      rows: ways.map((way) => ({
        ...{ world: way.world, way: way.way, tokens: way.tokens },
        seeds: seeds.flatMap((seed) => {
          const found = done.get(jobOf(way, seed).key);
          return found ? [{ seed, ...found.result }] : [];
        }),
      })),
    };
    writeResults('curriculum', results);
    console.log(curriculumTable(results));
    renewDocs();
    return isWhole;
  },
});

/** Returns the configuration of a run. Its weights come from level 1, also if the run starts on another level. */
function configOf({ settings }: Way, seed: number): Config {
  const warmStart = { source: 'train' } as const; // the run starts from given weights, not from a shipped warm start
  return parseConfig({
    ...settings,
    warmStart,
    evaluation: { every: 1000, problems },
    run: { seed, iterations: 100_000 },
  });
}

function jobOf(way: Way, seed: number): Job {
  const name = `${way.world}: ${way.way}`;
  const settings = { way, problems };
  return { ...{ name, seed, way, settings, warmStart: null }, key: [name, seed, hashOf(settings)].join(' ') };
}

/** Returns the accuracy on the held-out problems of each level. */
async function byLevel(config: Config, weights: readonly NamedArray[]): Promise<number[]> {
  const shares: number[] = [];
  for (const level of levels) {
    const team = assembleTeam({ ...config, world: { ...config.world, level, also: [] } });
    const network = uploadNetwork(freshState([...weights], team.shape, false), team.shape);
    const policies = team.networkOf.map(() => decodingPolicy(network.tree, team.shape));
    shares.push((await evaluateTeam(team, { policies, iteration: 0, withMasked: false })).accuracy);
    disposeNetwork(network);
  }
  return shares;
}
