// Does each world teach something? `npm run bench:worlds`: each world with the settings of its preset, three seeds, and
// beside the team the masked message, a single agent at as many tokens, and a vote. `-- wordProblems` measures only this
// world (or preset), `--seeds 11,12`, `--levels 1,2`, `--at-once N` (2).
// Rows are kept in bench/results/worlds.jsonl as they are finished: a run that was broken off goes on there.
// The table goes to bench/results/worlds.json. Ends with 1 where a world did not gain enough in some seed.
import type { ConfigInput } from '../src/config/schema.ts';
import { measureMissing, readRows, type RowJob } from './shared/rowStore.ts';
import { processor, readOptions, renewDocs, runBench, writeResults } from './shared/runner.ts';
import { warmStartFile } from './shared/warmStarts.ts';
import { warmWorld, worldOnce, type WorldResult } from './worlds/once.ts';
import {
  controlConfig,
  plannedWorlds,
  seeds,
  worldConfig,
  worldRowKey,
  worldRowsFile,
  type PlannedWorld,
} from './worlds/plan.ts';
import { lineOf, worldRow, worldsTable, type WorldsResults } from './worlds/table.ts';

interface Job extends RowJob {
  level: number;
  settings: ConfigInput;
  /** Makes the warm starts and nothing else. */
  isWarmUp?: boolean;
}

await runBench<Job, WorldResult | null>({
  measure: async ({ settings, level, seed, isWarmUp }) => {
    if (!isWarmUp) return worldOnce(settings, level, seed);
    await warmWorld(settings, level, seed);
    return null;
  },
  all: async (apart) => {
    const { values, positionals, wholeNumber } = readOptions({ seeds: seeds.join(), levels: '1', 'at-once': '2' });
    const [wantedSeeds, levels] = [values.seeds, values.levels].map((list) => list.split(',').map(Number));
    const wanted = positionals.length === 0 ? plannedWorlds : positionals.flatMap(plannedFor);
    const isWhole = await measureMissing({
      file: worldRowsFile,
      jobs: (wantedSeeds ?? []).flatMap((seed) =>
        wanted.flatMap((planned) => (levels ?? []).map((level) => jobOf(planned, level, seed))),
      ),
      atOnce: wholeNumber('at-once'),
      warm: (job: Job) => apart({ ...job, isWarmUp: true }),
      measure: async (job) => (await apart(job)) as WorldResult,
      describe: lineOf,
    });
    return writeTable() && isWhole;
  },
});

function plannedFor(name: string): PlannedWorld[] {
  const found = plannedWorlds.filter((planned) => planned.name === name || planned.world === name);
  if (found.length > 0) return found;
  const names = plannedWorlds.map((planned) => `${planned.world} (${planned.name})`).join(', ');
  throw new Error(`no world or preset is called ${name}; there are ${names}`);
}

function jobOf({ name, settings }: PlannedWorld, level: number, seed: number): Job {
  const config = worldConfig(settings, level, seed);
  const single = controlConfig(config, 'single');
  const warmStart = warmStartFile(config) ?? (single && warmStartFile(single));
  return { ...{ name, seed, level, settings, warmStart }, key: worldRowKey(name, level, seed, settings) };
}

/** The table of all rows that are there; whether every world of the plan gained enough in every seed. */
function writeTable(): boolean {
  const done = readRows<WorldResult>(worldRowsFile);
  const rows = plannedWorlds.flatMap((planned) =>
    [1, 2, 3, 4].flatMap((level) => {
      const found = seeds.flatMap((seed) => {
        const kept = done.get(worldRowKey(planned.name, level, seed, planned.settings));
        return kept ? [{ seed, commit: kept.commit, ...kept.result }] : [];
      });
      return found.length === 0 ? [] : [worldRow(planned, level, found)];
    }),
  );
  const results: WorldsResults = { machine: processor, backend: 'simd', rows };
  writeResults('worlds', results);
  console.log(worldsTable(results));
  renewDocs();
  const unmet = rows.filter(({ isMet }) => !isMet).map(({ preset, level }) => `${preset} ${level}`);
  if (unmet.length > 0) console.log(`NOT met: ${unmet.join(', ')}`);
  return unmet.length === 0;
}
