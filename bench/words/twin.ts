// Runs a rung in another trainer, by a Python program that prints a JSON line for each iteration and each measurement.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { median } from '../../src/base/stats.ts';
import type { WordsResult } from './once.ts';

type Told = { event: 'evaluation'; accuracy: number } | { event: 'iteration'; reward: number; seconds: number };

/** Runs a program of bench/words/ to its end. Throws if it ends without an evaluation before and one after training. */
export async function twinOnce(python: string, program: string, given: readonly string[]): Promise<WordsResult> {
  const began = performance.now();
  const child = spawn(python, [path.resolve('bench/words', program), ...given], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const told: Told[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('{"event"')) continue; // trainers print lines of their own
    told.push(JSON.parse(line) as Told);
    console.error(`${program}: ${line}`);
  }
  const shares = told.flatMap((one) => (one.event === 'evaluation' ? [one.accuracy] : []));
  const iterations = told.flatMap((one) => (one.event === 'iteration' ? [one] : []));
  if (shares.length !== 2) throw new Error(`${program} ended early, after ${iterations.length} iterations`);
  return {
    ...{ before: shares[0] as number, after: shares[1] as number, lowAfter: null, masked: null, problems: 36 },
    rewards: iterations.map(({ reward }) => reward),
    ...{ seconds: (performance.now() - began) / 1000, cpuSeconds: null, peakMiB: null },
    iterationSeconds: median(iterations.map(({ seconds }) => seconds)),
  };
}
