// Rows of a long measurement, stored line by line as they are finished, so that an interrupted run can be resumed.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { inTurns, kernels, processor } from './runner.ts';

/** Default seeds of a bench. */
export const seeds = [11, 12, 13];

/** A finished row; `key` names all settings of its measurement. */
export interface StoredRow<Result> {
  key: string;
  name: string;
  seed: number;
  settings: unknown;
  /** The commit of the sources; with a plus if they differed from it. */
  commit: string;
  /** The CPU kernels used for the measurement; older rows do not have this. */
  kernels?: string;
  result: Result;
}

/** The processor, and the kernels used to measure these rows. */
export function machineOf(rows: Iterable<StoredRow<unknown>>): string {
  const used = new Set([...rows].map((row) => row.kernels ?? 'kernels not noted'));
  return [processor, ...used].join(', ');
}

/** A short hash of any JSON value. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 10);
}

/** Returns all finished rows of a file; a newer row replaces an older one with the same key. */
export function readRows<Result>(file: string): Map<string, StoredRow<Result>> {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  return new Map(lines.map((line) => JSON.parse(line) as StoredRow<Result>).map((row) => [row.key, row]));
}

/** Adds one finished row. */
export function appendRow(file: string, row: StoredRow<unknown>): void {
  mkdirSync(path.dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(row)}\n`);
}

/** The commit of the sources, with a plus if `src` differs from it. */
export function sourceCommit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', 'src') === '' ? '' : '+');
}

/** The job that measures a row; `key` and `settings` are stored with the result. */
export interface RowJob {
  name: string;
  seed: number;
  key: string;
  settings: unknown;
  /** File of a warm start shared by several rows, if any; the first job that names it makes it. */
  warmStart: string | null;
}

interface Measuring<Job, Result> {
  file: string;
  jobs: readonly Job[];
  atOnce: number;
  /** Makes the warm start of a job. */
  warm: (job: Job) => Promise<unknown>;
  measure: (job: Job) => Promise<Result>;
  /** A finished row as one line. */
  describe: (result: Result) => string;
  /** The name of the engine that computes, if it is not this Node. */
  computedBy?: string;
}

/**
 * Measures the missing rows of the file and stores each as soon as it is finished; returns whether all of them could be
 * measured.
 */
export async function measureMissing<Job extends RowJob, Result>(plan: Measuring<Job, Result>): Promise<boolean> {
  const { file, jobs, atOnce, warm, measure, describe, computedBy = kernels } = plan;
  const done = readRows(file);
  const missing = jobs.filter(({ key }) => !done.has(key));
  console.log(`${jobs.length - missing.length} of ${jobs.length} rows are there, ${missing.length} to measure`);
  const makers = new Map(missing.map((job) => [job.warmStart, job]));
  makers.delete(null);
  const isWarm = await inTurns([...makers.values()], atOnce, warm);
  const isWhole = await inTurns(missing, atOnce, async (job) => {
    const { key, name, seed, settings } = job;
    const result = await measure(job);
    appendRow(file, { key, name, seed, settings, commit: sourceCommit(), kernels: computedBy, result });
    console.log(`${name} · seed ${seed}: ${describe(result)}`);
  });
  return isWarm && isWhole;
}
