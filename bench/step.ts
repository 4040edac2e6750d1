// Measures speed: `npm run bench [-- A B C rollout growth chromium] [-- --full] [-- --count 20]`. The result is a table
// with the duration of an update, an iteration and a dialogue on every engine that runs here, compared with other
// projects. Writes bench/results/step.json and growth.svg; parts that were not run keep their rows. `--backends
// webgpu,simd` measures only these backends; `--add FILE` adds rows that were measured on another machine
// (gpuBundle.mjs).
import { readOptions } from './shared/runner.ts';
import { groupsOf, parts, slowPace, type Effort, type Part } from './step/plan.ts';
import { serveEngine, type Entry } from './step/process.ts';
import { measureInRounds, type Measured } from './step/rounds.ts';
import { rowsOf, type Row } from './step/row.ts';
import { readRows, writeRows } from './step/rowStore.ts';
import { describeTable } from './step/table.ts';

if (process.argv[2] === 'serve') await serveEngine(JSON.parse(process.argv[3] as string) as Entry);
else {
  await bench();
  // The exit is explicit, because native modules may keep a handle open.
  process.exit(0);
}

async function bench(): Promise<void> {
  const { values, positionals, wholeNumber } = readOptions({ full: false, count: '20', backends: '', add: '' });
  if (values.add !== '') {
    const rows = readRows(values.add).filter(({ n }) => n > 0);
    if (rows.length === 0) throw new Error(`--add: ${values.add} holds no measured rows`);
    writeRows(rows);
    console.log(describeTable(rows));
    return;
  }
  const unknown = positionals.filter((name) => !parts.includes(name as Part));
  if (unknown.length > 0) throw new Error(`bench: no part ${unknown.join(', ')}; there are ${parts.join(', ')}`);
  const effort = {
    isFull: values.full,
    count: wholeNumber('count'),
    backends: values.backends.split(',').filter(Boolean),
  };
  const usual = parts.filter((name) => effort.isFull || name !== 'chromium');
  const started = performance.now();
  const rows: Row[] = [];
  for (const part of positionals.length === 0 ? usual : parts.filter((name) => positionals.includes(name))) {
    const made = rowsOf(part, await measure(part, effort));
    writeRows(made);
    rows.push(...made);
  }
  console.log(describeTable(rows));
  console.log(`\n${((performance.now() - started) / 60_000).toFixed(1)} minutes`);
}

async function measure(part: Part, effort: Effort): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const { entries, pace } of groupsOf(part, effort)) measured.push(...(await measureInRounds(entries, pace)));
  if (part === 'chromium') {
    const { measureInChromium } = await import('./step/browser.ts');
    measured.push(...(await measureInChromium(slowPace(effort))));
  }
  return measured;
}
