// Runs the built program as a user would; for tests only.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { ReportedEvent } from '../report.ts';

let folder = '';
/** The path of the program, once it is built. */
export const programFile = () => path.join(folder, 'dist-cli', 'main.mjs');

/** Gives this test file its own copy of the program, next to the most recently built page. */
export function buildProgram(): void {
  folder = mkdtempSync(path.join(tmpdir(), 'cothink-program-'));
  symlinkSync(path.resolve('dist'), path.join(folder, 'dist'));
  cpSync(builtProgram(), path.join(folder, 'dist-cli'), { recursive: true });
}

/** The sources of the program. */
const sources = ['src', 'workers', 'cli', 'messages', 'public', 'scripts', 'package-lock.json'];

/** The path of the program built from these sources. The program is built only once for all test files that run it. */
function builtProgram(): string {
  const folders = path.resolve('.cache', 'testProgram');
  const built = path.join(folders, sourcesDigest());
  if (existsSync(built)) return built;
  mkdirSync(folders, { recursive: true });
  for (const name of readdirSync(folders).filter((one) => !one.startsWith('unfinished-')))
    rmSync(path.join(folders, name), { recursive: true, force: true }); // of other sources
  // The program is built in a temporary folder that is renamed when it is complete, because two test files may start at
  // the same time.
  const unfinished = mkdtempSync(path.join(folders, 'unfinished-'));
  execFileSync(process.execPath, ['cli/build.mjs', unfinished], { stdio: 'ignore' });
  try {
    renameSync(unfinished, built);
  } catch (error) {
    rmSync(unfinished, { recursive: true });
    if (!existsSync(built)) throw error;
  }
  return built;
}

/** A hash of the name, size and modification date of every source file. */
function sourcesDigest(): string {
  const hash = createHash('sha256');
  const note = (name: string) => {
    const { mtimeMs, size } = statSync(name);
    hash.update(`${name} ${size} ${mtimeMs}\n`);
  };
  for (const source of sources) {
    if (!statSync(source).isDirectory()) {
      note(source);
      continue;
    }
    for (const entry of readdirSync(source, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) note(path.join(entry.parentPath, entry.name));
  }
  return hash.digest('hex').slice(0, 12);
}

export const removeProgram = (): void => rmSync(folder, { recursive: true });

export interface Ended {
  /** The exit code; null if the program was killed. */
  code: number | null;
  /** Lines of standard output that are JSON. */
  news: ReportedEvent[];
  out: string;
  err: string;
}

/**
 * Runs `cothink` until it ends. `hear` receives the output and may end the program earlier. `file` is the path of
 * another copy of the program, and `cwd` the folder in which it runs.
 */
export function cothink(
  args: readonly string[],
  hear?: (news: ReportedEvent, kill: (signal: NodeJS.Signals) => void) => void,
  file = programFile(),
  cwd?: string,
): Promise<Ended> {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'], ...(cwd && { cwd }) });
  const ended: Ended = { code: null, news: [], out: '', err: '' };
  createInterface({ input: child.stdout }).on('line', (line) => {
    ended.out += `${line}\n`;
    if (!line.startsWith('{"event"')) return;
    const news = JSON.parse(line) as ReportedEvent;
    ended.news.push(news);
    hear?.(news, (signal) => child.kill(signal));
  });
  child.stderr.on('data', (bytes: Buffer) => (ended.err += bytes.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ ...ended, code }));
  });
}
