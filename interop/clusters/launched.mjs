// The test for each engine that `cothink launch` supports: four seeds are trained, a worker is killed meanwhile, the
// engine retries its task, and the four runs return as one experiment. `Check` manages the processes of a check. They
// have a mark in their environment, so that only these are examined and ended.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

const mark = 'COTHINK_CHECK';
const limitMs = 120_000;
/** The run takes long enough on one core that a worker can be killed meanwhile. */
const settings = ['--preset', 'micro', '--set', 'run.backend=cpu', '--set', 'run.iterations=400'];
/** The seed whose worker is killed. */
const killedSeed = 3;

/** @typedef {{ pid: number, parent: number, args: string[] }} Process */

/** The check of one tool, with a folder of its own, its processes, and the number of passed and failed lines. */
export class Check {
  folder = mkdtempSync(path.join(tmpdir(), 'cothink-'));
  /** @type {NodeJS.ProcessEnv} */
  env = { ...process.env, [mark]: this.folder };
  #tool;
  #count = { version: '', passed: 0, failed: 0 };
  /** @type {import('node:child_process').ChildProcess[]} */
  #daemons = [];

  /** @param {string} tool the tool that is compared with Cothink @param {string} version */
  constructor(tool, version) {
    this.#tool = tool;
    this.#count.version = version;
  }

  /** @param {string} words @param {boolean} isGood @param {unknown} detail */
  says(words, isGood, detail = '') {
    this.#count[isGood ? 'passed' : 'failed'] += 1;
    console.log(isGood ? `ok     ${words}` : `FAILED ${words} ${String(detail)}`);
  }

  /** Returns the path of a file in the folder. @param {string[]} names */
  at = (...names) => path.join(this.folder, ...names);

  /** Starts a program that runs until the check ends. @param {string} command @param {string[]} args */
  starts(command, args) {
    const daemon = spawn(command, args, { env: this.env, cwd: this.folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [daemon.stdout, daemon.stderr])
      stream.on('data', (/** @type {Buffer} */ bytes) => (said = `${said}${bytes}`.slice(-2_000)));
    daemon.on('error', ({ message }) => (said += message));
    daemon.on('close', (code) => {
      if (this.#daemons.includes(daemon)) console.log(`${command} ended with ${code}:\n${said}`);
    });
    this.#daemons.push(daemon);
    return daemon;
  }

  /** Ends all processes, deletes the folder, returns the counts. @returns {Promise<import('../tools.mjs').Counts>} */
  async ends() {
    for (const daemon of this.#daemons.splice(0).reverse()) daemon.kill();
    const until = Date.now() + 10_000;
    while (this.processes().length > 0 && Date.now() < until) await soon();
    for (const { pid } of this.processes()) killed(pid);
    await soon();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    return { [this.#tool]: this.#count };
  }

  /** Returns the processes that this check has started, and their children. @returns {Process[]} */
  processes() {
    const own = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
    return own.flatMap((pid) => {
      try {
        const [args, env, stat] = ['cmdline', 'environ', 'stat'].map((file) =>
          readFileSync(`/proc/${pid}/${file}`, 'utf8'),
        );
        if (!env?.split('\0').includes(`${mark}=${this.folder}`)) return [];
        readlinkSync(`/proc/${pid}/exe`); // fails if the process has ended
        const parent = Number(stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        return [{ pid: Number(pid), parent, args: args?.split('\0') ?? [] }];
      } catch {
        return [];
      }
    });
  }
}

/** @param {number} pid */
export function killed(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}

export const soon = () => new Promise((resolve) => setTimeout(resolve, 200));

/**
 * Waits until `look` returns a value, and returns it.
 * @template T @param {() => T | undefined | Promise<T | undefined>} look @param {string} what
 */
export async function comes(look, what) {
  for (const until = Date.now() + limitMs; Date.now() < until; await soon()) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error(`${what}: nothing came within ${limitMs / 1_000} s`);
}

/** Returns a port that no process uses. @returns {Promise<number>} */
export const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

/**
 * Launches four seeds, kills the worker of one and checks the four resulting runs.
 * @param {Check} check @param {string} program @param {string[]} on the options of `launch` for the engine
 * @param {(task: Process) => number} victim returns the process to kill for a task that is being trained
 */
export async function launchChecked(check, program, on, victim) {
  const ours = (/** @type {string[]} */ ...args) =>
    spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', cwd: check.folder });
  const four = check.at('four');
  const args = ['launch', ...on, ...settings, '--seeds', '4', '--out', four, '--json'];
  const launch = spawn(process.execPath, [program, ...args], {
    env: check.env,
    cwd: check.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  /** @type {{ event: string, [field: string]: unknown }[]} */
  const news = [];
  let err = '';
  launch.stderr.on('data', (/** @type {Buffer} */ bytes) => (err += bytes.toString()));
  createInterface({ input: launch.stdout }).on('line', (line) => news.push(JSON.parse(line)));
  /** @type {Promise<number | null>} */
  const ended = new Promise((resolve) => launch.on('close', resolve));
  let isOver = false;
  void ended.then(() => (isOver = true));

  const trains = () =>
    check
      .processes()
      .find(
        ({ args: [, , command, ...rest], pid }) =>
          pid !== launch.pid && command === 'train' && rest.includes(`run.seed=${killedSeed}`),
      );
  const first = await comes(() => (isOver ? null : trains()), `a worker of seed ${killedSeed}`);
  if (first) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    killed(victim(first));
    const again = await comes(() => {
      const found = trains();
      return isOver ? null : found && found.pid !== first.pid ? found : undefined;
    }, 'a second try');
    check.says('the engine retries a task whose worker was killed', again !== null, err);
  }
  const code = await ended;
  const last = news.at(-1) ?? { event: 'nothing' };
  const { accuracies = [], missing = [] } = /** @type {{ accuracies?: number[], missing?: string[] }} */ (last);
  check.says(
    'all four seeds are collected',
    code === 0 && accuracies.length === 4 && missing.length === 0,
    `${code} ${JSON.stringify([last, ...news.filter(({ event }) => event === 'lost')])} ${err}`,
  );
  const runs = [1, 2, 3, 4]
    .map((seed) => `seed-${seed}`)
    .map((name) => {
      const told = ours('info', path.join(four, name), '--json');
      return told.status === 0 ? JSON.parse(told.stdout) : { error: told.stderr };
    });
  check.says(
    'each run is finished and has no damaged record',
    runs.every(({ isDone, damaged }) => isDone && damaged.length === 0),
    JSON.stringify(runs),
  );
  const experiments = new Set(runs.map(({ experiment }) => experiment?.id));
  check.says('they belong to one experiment', experiments.size === 1 && !experiments.has(undefined), [...experiments]);
  const weights = (/** @type {string} */ run, /** @type {string} */ file) => {
    ours('export', run, '--as', 'weights', '--out', check.at(file));
    return existsSync(check.at(file)) ? readFileSync(check.at(file)) : Buffer.alloc(0);
  };
  ours('train', ...settings, '--set', `run.seed=${killedSeed}`, '--threads', '1', '--out', check.at('alone'));
  const alone = weights(check.at('alone'), 'alone.zip');
  const tried = weights(path.join(four, `seed-${killedSeed}`), 'again.zip');
  check.says(
    'the weights of the retried task equal those of an undisturbed run',
    alone.length > 0 && alone.equals(tried),
  );
}
