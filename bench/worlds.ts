// Can a team learn something in each world? `npm run bench:worlds` trains each world with the settings of its preset
// and three seeds. The controls are the team with masked messages, a single agent with the same number of tokens, and a
// vote. `-- wordProblems` measures only this world (or preset). Options: `--seeds 11,12`, `--levels 1,2`, `--at-once N`
// (2). Exits with 1 if a world did not gain enough in some seed.
import type { ConfigInput } from '../src/config/schema.ts';
import { runRows } from './shared/rowBench.ts';
import { machineOf, seeds, type RowJob } from './shared/rowStore.ts';
import { warmStartFile } from './shared/warmStarts.ts';
import { warmWorld, worldOnce } from './worlds/once.ts';
import { controlConfig, plannedWorlds, worldConfig, worldRowKey, type PlannedWorld } from './worlds/plan.ts';
import { lineOf, worldRow, worldsTable } from './worlds/table.ts';

interface Job extends RowJob {
  level: number;
  settings: ConfigInput;
}

await runRows({
  name: 'worlds',
  options: { levels: '1' },
  jobsOf: (seed, { positionals: names, values: { levels } }) =>
    (names.length === 0 ? plannedWorlds : names.flatMap(plannedFor)).flatMap((planned) =>
      levels.split(',').map((level) => jobOf(planned, Number(level), seed)),
    ),
  warm: ({ settings, level, seed }: Job) => warmWorld(settings, level, seed),
  measure: ({ settings, level, seed }) => worldOnce(settings, level, seed),
  describe: lineOf,
  results: (done) => {
    const rows = plannedWorlds.flatMap((planned) =>
      [1, 2, 3, 4].flatMap((level) => {
        const found = seeds.flatMap((seed) => {
          const kept = done.get(worldRowKey(planned.name, level, seed, planned.settings));
          return kept ? [{ seed, commit: kept.commit, ...kept.result }] : [];
        });
        return found.length === 0 ? [] : [worldRow(planned, level, found)];
      }),
    );
    return { machine: machineOf(done.values()), backend: 'simd', rows };
  },
  table: worldsTable,
  unmet: ({ rows }) => rows.filter(({ isMet }) => !isMet).map(({ preset, level }) => `${preset} ${level}`),
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
