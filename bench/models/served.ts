// Runs an engine in a separate process, which answers each line with the name of a workload with its time.
import { createInterface } from 'node:readline';
import type { Work } from './work.ts';

/** The figures that an engine reports after a workload. */
export interface Taken {
  /** Peak usage of our kernels' memory. */
  heapMiB?: number;
}

export interface Sample extends Taken {
  ms: number;
  /** Processor time of all threads. */
  cpuMs: number;
  /** Peak memory of the process so far. */
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
