// The built program, run as somebody runs it; for tests only.
import { execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { News } from '../report.ts';

let isBuilt = false;

/** Builds the program, once for a test file. */
export function buildProgram(): void {
  if (!isBuilt) execFileSync(process.execPath, ['cli/build.mjs'], { stdio: 'ignore' });
  isBuilt = true;
}

export interface Ended {
  /** Null where it was killed. */
  code: number | null;
  /** Lines of standard output that are JSON. */
  news: News[];
  out: string;
  err: string;
}

/** Runs `cothink` to its end; `hear` may end it before. */
export function cothink(
  args: readonly string[],
  hear?: (news: News, kill: (signal: NodeJS.Signals) => void) => void,
): Promise<Ended> {
  const child = spawn(process.execPath, ['dist-cli/main.mjs', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended: Ended = { code: null, news: [], out: '', err: '' };
  createInterface({ input: child.stdout }).on('line', (line) => {
    ended.out += `${line}\n`;
    if (!line.startsWith('{"event"')) return;
    const news = JSON.parse(line) as News;
    ended.news.push(news);
    hear?.(news, (signal) => child.kill(signal));
  });
  child.stderr.on('data', (bytes: Buffer) => (ended.err += bytes.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ ...ended, code }));
  });
}
