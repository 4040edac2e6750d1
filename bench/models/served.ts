// An engine in a process of its own: a line that names a work is answered with the time that it took.
import { createInterface } from 'node:readline';
import type { Work } from './work.ts';

/** The figures that an engine gives after a work. */
export interface Taken {
  /** The most that was in use of the memory of our kernels. */
  heapMiB?: number;
}

export interface Sample extends Taken {
  ms: number;
  /** Processor time of all threads. */
  cpuMs: number;
  /** The most that the process has taken so far. */
  peakMiB: number;
}

export async function serve(take: (work: Work) => Promise<Taken>): Promise<never> {
  console.log(JSON.stringify({ ready: true }));
  for await (const line of createInterface({ input: process.stdin })) {
    const [started, cpu] = [performance.now(), process.cpuUsage()];
    const taken = await take(line as Work);
    const ms = performance.now() - started;
    const { user, system } = process.cpuUsage(cpu);
    const sample: Sample = {
      ...{ ms, cpuMs: (user + system) / 1000 },
      peakMiB: Math.round(process.resourceUsage().maxRSS / 1024),
      ...taken,
    };
    console.log(JSON.stringify(sample));
  }
  process.exit(0);
}
