// `npm run bench:serve -- [CLIENTS] [STEPS]`: clients play in a world over gRPC at once, each over a connection of its own;
// prints how long a step takes and what the server holds. Without numbers 64 clients × 10,000 steps.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { WorldClient } from '../serve/worlds/client.ts';
import type { Observation } from '../serve/worlds/service.ts';
import { buildProgram, programFile, removeProgram } from './program.ts';

const [clients = 64, steps = 10_000] = process.argv.slice(2).map(Number);
/** Of all steps, the share after which a line is printed. */
const lines = 10;

buildProgram();
const server = spawn(process.execPath, [programFile(), 'serve', '--world', 'houseRule', '--port', '0', '--grpc', '0', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] }); // prettier-ignore
const address = await new Promise<string>((resolve) => {
  createInterface({ input: server.stdout }).on('line', (line) =>
    resolve((JSON.parse(line) as { grpc: string }).grpc.replace('grpc://', '')),
  );
});
const heldMb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024;

const latencies = new Float64Array(clients * steps);
let done = 0;
const print = (cells: readonly (string | number)[]) => process.stdout.write(`${cells.join('\t')}\n`);
const quantile = (sorted: Float64Array, share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2); // prettier-ignore

async function play(index: number): Promise<void> {
  const client = new WorldClient(address);
  let now: Observation | null = null;
  for (let step = 0, seed = index * steps; step < steps; step++) {
    now ??= await client.call('Reset', { seed: seed++, level: 0, split: '' }, 60_000);
    const from = performance.now();
    now = await client.call('Step', { episode: now.episode, text: '2*3', finish: now.mayFinish && now.turns > 3 }, 60_000); // prettier-ignore
    latencies[done++] = performance.now() - from;
    if (now.done) now = null;
    if (done % Math.ceil(latencies.length / lines) === 0) {
      const part = latencies.slice(done - Math.ceil(latencies.length / lines), done).sort();
      print([done, quantile(part, 0.5), quantile(part, 0.95), quantile(part, 0.99), quantile(part, 1), heldMb().toFixed(0)]); // prettier-ignore
    }
  }
  client.close();
}

print(['steps', 'p50 ms', 'p95 ms', 'p99 ms', 'longest ms', 'server MB']);
const from = performance.now();
await Promise.all(Array.from({ length: clients }, (_, index) => play(index)));
print([`${clients} clients, ${done} steps without an error, ${Math.round(done / ((performance.now() - from) / 1000))} steps/s`]); // prettier-ignore
server.kill('SIGTERM');
removeProgram();
