// Rows of a long measurement, kept line by line as they are finished, so that a run that was broken off goes on where
// it stood; and a few processes that measure them.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A finished row; `key` names all that it was measured with. */
export interface StoredRow<Settings, Result> {
  key: string;
  name: string;
  seed: number;
  settings: Settings;
  /** The sources' commit; with a plus where they differed from it. */
  commit: string;
  result: Result;
}

/** A short name of anything that JSON can say. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 10);
}

/** All finished rows of a file, a newer one in the place of an older with its key. */
export function readRows<S, R>(file: string): Map<string, StoredRow<S, R>> {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  return new Map(lines.map((line) => JSON.parse(line) as StoredRow<S, R>).map((row) => [row.key, row]));
}

/** Adds one finished row. */
export function appendRow(file: string, row: StoredRow<unknown, unknown>): void {
  mkdirSync(path.dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(row)}\n`);
}

/** The commit of the sources, with a plus where `src` differs from it. */
export function sourceCommit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', 'src') === '' ? '' : '+');
}

/** Runs this program with other arguments, in a process of its own; resolves with the JSON of its last printed line. */
export function measureApart<R>(...args: string[]): Promise<R> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, process.argv[1] as string, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.on('data', (bytes: Buffer) => (printed += bytes.toString()));
    child.on('error', reject);
    child.on('exit', (code) => {
      if (code !== 0) return reject(new Error(`bench: ${args.join(' ')} ended with code ${code}`));
      resolve(JSON.parse(printed.trim().split('\n').at(-1) as string) as R);
    });
  });
}

/** Does all jobs, `atOnce` at a time, in their order. A job that fails is told and the others go on; false then. */
export async function inTurns<J>(
  jobs: readonly J[],
  atOnce: number,
  work: (job: J) => Promise<unknown>,
): Promise<boolean> {
  let next = 0;
  let isWhole = true;
  const worker = async () => {
    while (next < jobs.length) {
      const job = jobs[next++] as J;
      await work(job).catch((error: unknown) => {
        isWhole = false;
        console.error(String(error));
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return isWhole;
}
