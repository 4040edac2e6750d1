// `npm run bench:serve [-- load harm --clients 64 --steps 10000]`. Load: clients play in a world over gRPC
// concurrently, each over a separate connection, while the memory of the server is measured. Harm: fewer clients,
// alternately alone and together with harmful ones (harm.ts). bench/results/serve.json stores the last results of both.
// Exits with 1 on an error, if the server's memory grows, and if the harm is noticeable: table.ts defines the
// thresholds.
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { median } from '../../src/base/stats.ts';
import { buildProgram, programFile, removeProgram } from '../../cli/testing/program.ts';
import type { CallName } from '../../cli/serve/worlds/service.ts';
import { sourceCommit } from '../shared/rowStore.ts';
import { machine, readOptions, readResults, writeResults } from '../shared/runner.ts';
import { Heard, playAll } from './clients.ts';
import { harm } from './harm.ts';
import {
  faultsOf,
  serveTable,
  type HarmFound,
  type HarmRound,
  type Latency,
  type LoadFound,
  type ServeResults,
} from './table.ts';

const { values, positionals, wholeNumber } = readOptions({
  clients: '64',
  steps: '10000',
  // Options that the program passes to itself: the address for the harmful clients.
  harm: '',
});
if (values.harm !== '') await harm(values.harm);

const partNames = ['load', 'harm'];
const unknown = positionals.filter((name) => !partNames.includes(name));
if (unknown.length > 0) throw new Error(`there is no part ${unknown.join(', ')}: choose from ${partNames.join(', ')}`);
const isChosen = (name: string) => positionals.length === 0 || positionals.includes(name);

const tenths = 10;
const memoryEveryMs = 250;
const commit = sourceCommit();

buildProgram();
const server = spawn(
  process.execPath,
  [programFile(), 'serve', '--world', 'houseRule', '--port', '0', '--grpc', '0', '--json'],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
const address = await new Promise<string>((resolve, reject) => {
  server.on('exit', (code) => reject(new Error(`cothink serve ended with ${code}`)));
  createInterface({ input: server.stdout }).on('line', (line) =>
    resolve((JSON.parse(line) as { grpc: string }).grpc.replace('grpc://', '')),
  );
});
const residentMB = () =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024);

try {
  const before = readResults<ServeResults>('serve');
  const load = isChosen('load') ? await loaded(wholeNumber('clients'), wholeNumber('steps')) : before?.load;
  const beside = isChosen('harm') ? await besideHarm({ clients: 16, steps: 500, pairs: 3 }) : before?.beside;
  const results = { machine, ...(load && { load }), ...(beside && { beside }) };
  writeResults('serve', results);
  console.log(`\n${serveTable(results)}\n\nWritten to bench/results/serve.json.`);
  const faults = faultsOf(results);
  for (const fault of faults) console.error(`FAILED ${fault}`);
  process.exitCode = faults.length > 0 ? 1 : 0;
} finally {
  server.kill('SIGTERM');
  removeProgram();
}

async function loaded(clients: number, steps: number): Promise<LoadFound> {
  const before = residentMB();
  const inTenth: number[][] = Array.from({ length: tenths }, () => []);
  const heard = new Heard();
  const watch = setInterval(() => {
    const tenth = Math.min(tenths - 1, Math.floor((heard.steps / (clients * steps)) * tenths));
    if (inTenth[tenth]?.length === 0) console.log(`${heard.steps} steps, ${residentMB()} MB`);
    inTenth[tenth]?.push(residentMB());
  }, memoryEveryMs);
  const stepsPerSecond = await timed(clients, steps, heard);
  clearInterval(watch);
  return {
    ...{ commit, clients, steps, stepsPerSecond, errors: heard.errors },
    latencies: [...heard.ms].map(([call, ms]) => latencyOf(call, ms)).sort((a, b) => b.count - a.count),
    residentMB: { before, byTenth: inTenth.map((found) => Math.round(median(found))) },
  };
}

async function besideHarm(plan: { clients: number; steps: number; pairs: number }): Promise<HarmFound> {
  const rounds: HarmRound[] = [];
  const errors: string[] = [];
  for (let round = 0; round < 2 * plan.pairs; round++) {
    const isHarmed = round % 2 === 1;
    const harming = isHarmed ? await startHarm() : null;
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, residentMB())), memoryEveryMs);
    const heard = new Heard();
    const stepsPerSecond = await timed(plan.clients, plan.steps, heard);
    clearInterval(watch);
    if (harming && harming.exitCode !== null) errors.push('those that harm ended before the round');
    harming?.kill('SIGKILL');
    errors.push(...heard.errors);
    rounds.push({ isHarmed, stepsPerSecond, step: latencyOf('Step', heard.ms.get('Step') ?? []), residentMB: most });
    console.log(JSON.stringify(rounds.at(-1)));
  }
  return { commit, clients: plan.clients, steps: plan.steps, rounds, errors };
}

/** Starts this program again as the harmful clients. Resolves when they have had time to start. */
async function startHarm(): Promise<ChildProcess> {
  const given = [...process.execArgv, process.argv[1] as string, '--harm', address];
  const child = spawn(process.execPath, given, { stdio: ['ignore', 'inherit', 'inherit'] });
  // The harmful clients get only processor time that nothing else needs, so that they disturb only the server.
  setPriority(child.pid as number, 19);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  return child;
}

/** Plays, and returns steps per second. */
async function timed(count: number, each: number, heard: Heard): Promise<number> {
  const from = performance.now();
  await playAll(address, count, each, heard);
  return Math.round((1000 * heard.steps) / (performance.now() - from));
}

function latencyOf(call: CallName, ms: readonly number[]): Latency {
  const sorted = Float64Array.from(ms).sort();
  const quantile = (share: number) => Number((sorted[Math.floor(share * (sorted.length - 1))] ?? NaN).toFixed(2));
  return { call, count: ms.length, p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99), longest: quantile(1) };
}
