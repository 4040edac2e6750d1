// Markdown tables of measured figures, from what the benches left in `bench/results/`; each maker answers one block of
// README.md or docs/results.md, or says which command would measure it.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './freshness.mjs';
import { code, table } from './markdown.mjs';

export function learnTables() {
  const results = readResults('learn');
  if (!results) return 'Not measured yet: `npm run bench:learn`.';
  const head = ['Seed', 'Iterations', 'Before', 'After', 'Message masked', 'Single agent', 'Seconds'];
  const tables = Object.entries(results)
    .filter(([, value]) => Array.isArray(value) && value.every((entry) => entry && 'seed' in entry))
    .map(([name, seeds]) => {
      const rows = seeds.map((run) => [
        run.seed,
        run.iterations,
        share(run.before),
        share(run.after),
        share(run.maskedMessage),
        share(run.singleAgent),
        Math.round(run.seconds),
      ]);
      const caption = name === 'seeds' ? '' : `${inWords(name)}:\n\n`;
      return caption + table(head, rows);
    });
  const facts = Object.entries(results).filter(([, value]) => ['string', 'number'].includes(typeof value));
  return [factLine(facts), ...tables].join('\n\n');
}

/** One row for each start: means over seeds. */
export function learnShortTable() {
  const results = readResults('learn');
  if (!results) return 'Not measured yet: `npm run bench:learn`.';
  const starts = [
    ['the shipped one', results.seeds],
    ['its own', results.ownWarmStart],
  ].filter(([, seeds]) => Array.isArray(seeds));
  const meanOf = (seeds, of) => (seeds.reduce((sum, run) => sum + of(run), 0) / seeds.length).toFixed(3);
  const rows = starts.map(([words, seeds]) => [
    words,
    seeds.length,
    meanOf(seeds, ({ before }) => before.accuracy),
    meanOf(seeds, ({ after }) => after.accuracy),
    meanOf(seeds, ({ maskedMessage }) => maskedMessage),
    meanOf(seeds, ({ singleAgent }) => singleAgent),
    Math.round(meanOf(seeds, ({ seconds }) => seconds)),
  ]);
  const head = ['Warm start', 'Seeds', 'Before', 'After', 'Message masked', 'Single agent', 'Seconds'];
  return [factLine(Object.entries({ machine: results.machine, backend: results.backend })), table(head, rows)].join(
    '\n\n',
  );
}

export function learnersShortTable() {
  const results = readResults('learners');
  if (!results || results.rows.length === 0) return 'Not measured yet: `npm run bench:learners`.';
  const rows = results.rows.map((row) => [code(row.name), row.after.mean.toFixed(3), row.leastGain.toFixed(3), Math.round(row.seconds)]); // prettier-ignore
  return table(['Row', 'Accuracy after', 'Least gain of a seed', 'Seconds'], rows);
}

/** The one step that all engines were given, one row for each engine and backend. */
export function stepShortTable() {
  const measured = (readResults('step')?.rows ?? []).filter(
    ({ n, workload, variant }) => n > 0 && workload === 'A' && !variant,
  );
  if (measured.length === 0) return 'Not measured yet: `npm run bench`.';
  const rows = measured.map((row) => [
    row.engine,
    row.backend,
    row.adapter,
    milliseconds(row.msMedian),
    comparison(row),
  ]);
  return table(['Engine', 'Backend', 'Adapter', 'Median ms', 'Held against'], rows);
}

export function learnersTable() {
  const results = readResults('learners');
  if (!results || results.rows.length === 0) return 'Not measured yet: `npm run bench:learners`.';
  const head = ['Row', 'Learner', 'Variant', 'Protocol', 'Parameters', 'Before', 'After', 'Least gain', 'Masked', 'Seconds', 'KL', 'Entropy', 'Warm start']; // prettier-ignore
  const rows = results.rows.map((row) => [
    row.name,
    row.learner,
    row.variant,
    row.protocol,
    row.parameters,
    meanShare(row.before),
    meanShare(row.after),
    row.leastGain.toFixed(3),
    share(row.masked),
    Math.round(row.seconds),
    row.kl.toFixed(3),
    row.entropy.toFixed(3),
    row.warmStartSeconds === null
      ? `${row.warmStartSteps} steps, shipped`
      : `${row.warmStartSteps} steps, ${Math.round(row.warmStartSeconds)} s`,
  ]);
  const { machine, backend, sampledTokens, seeds } = results;
  const facts = [...Object.entries({ backend, machine, sampledTokens }), ['seeds', seeds.join(', ')]];
  return [factLine(facts), table(head, rows)].join('\n\n');
}

export function failuresTable() {
  const results = readResults('failures');
  if (!results || results.rows.length === 0) return 'Not measured yet: `npm run bench:failures`.';
  const head = ['Failure', 'Provoked by', 'Beside', 'Measure', 'Provoked', 'Beside it', 'Difference', 'Happened'];
  const rows = results.rows.map((row) => [
    row.name,
    row.provokedBy,
    row.beside,
    row.measure,
    row.provoked.mean.toFixed(3),
    row.sound.mean.toFixed(3),
    meanShare(row.difference),
    row.happened,
  ]);
  const claims = new Map(results.rows.map(({ name, claim, source }) => [name, `- _${name}_: ${claim} (${source})`]));
  return [[...claims.values()].join('\n'), table(head, rows)].join('\n\n');
}

/** What `npm run attack` tried, and what went wrong. */
export function attackTable() {
  const results = readResults('attack');
  if (!results) return 'Not measured yet: `npm run attack`.';
  const { seed, machine, commit } = results;
  const rows = results.rows.map(({ what, count, note, faults }) => [what, count, faults.length, note, faults[0] ?? '']);
  const facts = factLine(Object.entries({ seed, machine, commit }));
  return [facts, table(['Attacked', 'Times', 'Faults', 'Seen', 'First fault'], rows)].join('\n\n');
}

/** A mean over seeds with its 95 % t-interval. */
function meanShare({ mean, low, high }) {
  return low === null ? mean.toFixed(3) : `${mean.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
}

/** A column for the median and for each seed. */
export function pageTable() {
  const results = readResults('page');
  if (!results) return 'Not measured yet: `npm run bench:page`.';
  const { median, seeds, preset, backend, machine, browser } = results;
  const runs = [median, ...seeds];
  const head = ['', 'Median', ...seeds.map(({ seed }) => `Seed ${seed}`)];
  const lines = [
    ['from navigation to training, s', ({ navigationToTrainingS }) => navigationToTrainingS],
    ['first iteration, s', ({ firstIterationS }) => firstIterationS],
    ['accuracy up by 0.10, s', ({ secondsToPlus010 }) => secondsToPlus010],
    ['accuracy at 0.88, s', ({ secondsTo088 }) => secondsTo088],
    ['iterations a second', ({ iterationsPerSecond }) => iterationsPerSecond],
    ['accuracy before', ({ accuracyFirst }) => accuracyFirst.toFixed(3)],
    ['accuracy at the end', ({ accuracyLast }) => accuracyLast.toFixed(3)],
    ['iterations', ({ iterations }) => iterations],
    ['main-thread tasks over 50 ms while training', ({ longTasksWhileTraining }) => longTasksWhileTraining],
    ['longest wait for a pause, ms', ({ pauseMs }) => Math.max(...pauseMs)],
    ['scripts and styles, kB received', ({ scriptAndStyleBytes }) => Math.round(scriptAndStyleBytes / 1000)],
    ['wasm and weights, kB received', ({ wasmAndWeightBytes }) => Math.round(wasmAndWeightBytes / 1000)],
  ];
  const rows = lines.map(([words, of]) => [words, ...runs.map(of)]);
  return [factLine(Object.entries({ preset, backend, machine, browser })), table(head, rows)].join('\n\n');
}

/** Measured rows in the order of the workloads, then whom the bench did not find. */
export function stepTable() {
  const rows = readResults('step')?.rows ?? [];
  const measured = rows.filter(({ n }) => n > 0);
  if (measured.length === 0) return 'Not measured yet: `npm run bench`.';
  const order = ['A', 'B', 'C', 'rollout', 'growth'];
  const backends = ['simd', 'simd-threads', 'wasm', 'native', 'cpu', 'webgpu'];
  const placeOf = ({ workload, backend }) =>
    10 * order.findIndex((name) => workload.startsWith(name)) + (workload === 'A' ? backends.indexOf(backend) : 0);
  const lines = measured
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .map((row) => [
      row.workload,
      row.variant ? `${row.engine}, ${row.variant}` : row.engine,
      row.backend,
      row.adapter,
      milliseconds(row.msMedian),
      row.n,
      comparison(row),
      row.dispatches,
      milliseconds(row.submitMsMedian),
      row.tokensPerSecond && Math.round(row.tokensPerSecond),
      row.shareOfFloor && `${(100 * row.shareOfFloor).toFixed(0)} %`,
    ]);
  const head = [
    'Workload',
    'Engine',
    'Backend',
    'Adapter',
    'Median ms',
    'n',
    'Held against',
    'Dispatches',
    'Submit ms',
  ];
  const machines = new Set(measured.map(({ machine }) => machine).filter(Boolean));
  const load = Math.max(...measured.map(({ loadAverage = 0 }) => loadAverage));
  const isMissing = ({ n, engine, backend }) =>
    n === 0 && !measured.some((row) => row.engine === engine && row.backend === backend);
  const absent = new Set(
    rows.filter(isMissing).map(({ engine, backend, note }) => `${engine} on ${backend} (${note})`),
  );
  const facts = [
    machines.size > 0 && `Measured on ${[...machines].join(' and ')}, load average ${load.toFixed(1)} at most.`,
    absent.size > 0 && `Without a row: ${[...absent].join(', ')}.`,
  ].filter(Boolean);
  return [table([...head, 'Tokens/s', 'Floor'], lines), ...facts].join('\n\n');
}

function comparison({ engine, backend, reference, ratioOfMedians, deviation }) {
  if (deviation !== undefined)
    return `${deviation < 0 ? '−' : '+'}${Math.abs(100 * deviation).toFixed(0)} % off the count`;
  if (!reference || reference === `${engine} on ${backend}`) return undefined;
  return `${ratioOfMedians.toFixed(ratioOfMedians < 1 ? 3 : 2)} of ${reference}`;
}

function milliseconds(value) {
  return value === null || value === undefined ? undefined : value.toFixed(value < 10 ? 2 : value < 1000 ? 1 : 0);
}

export function readResults(name) {
  const file = path.join(root, 'bench', 'results', `${name}.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** A share in [0, 1], with its 95 % interval where it has one. */
function share(value) {
  if (value === undefined || value === null) return '–';
  if (typeof value === 'number') return value.toFixed(3);
  const interval = value.low === undefined ? '' : ` (${value.low.toFixed(3)}–${value.high.toFixed(3)})`;
  return value.accuracy.toFixed(3) + interval;
}

function factLine(facts) {
  return facts.map(([name, value]) => `${inWords(name)}: ${value}`).join(' · ');
}

/** 'secondsToRise' → 'Seconds to rise'. */
function inWords(name) {
  const words = name.replace(/([a-z\d])([A-Z])/g, (_, left, right) => `${left} ${right.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
