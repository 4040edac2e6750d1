// Runs one engine in a separate process, which performs steps on request by messages. Therefore the engines of one
// round cannot disturb each other's memory, threads or registered kernels. `serveEngine` is the child side,
// `startEngine` the parent side.
import { spawn, type ChildProcess } from 'node:child_process';
import { gpuCounts } from '../gpu/counts.ts';
import { deviceSpeed } from '../gpu/floor.ts';
import type { Engine } from './contract.ts';
import { openEngine, type EngineName } from './engine.ts';
import { stepWork, stretchedWork } from './work.ts';

/** The workload and the engine. `rows` and `length` are for `growth`; `length` also for a long turn of `rollout`. */
export interface Entry {
  workload: 'A' | 'B' | 'C' | 'rollout' | 'growth';
  engine: string;
  backend: string;
  rows?: number;
  length?: number;
  /** A variant of the engine of Cothink, in addition to its usual form. */
  variant?: string;
}

export interface Sample {
  ms: number;
  /** Processor time of the whole process, all threads. */
  cpuMs: number;
  loss: number;
  submitMs: number | null;
  encodeMs: number | null;
  dispatches: number;
  submits: number;
  tokens: number | null;
  extra: Record<string, number>;
}

export type Opened = Omit<Engine, 'step'>;

type Answer = { opened: Opened } | { samples: Sample[] } | { failed: string };

async function openEntry({ workload, engine, backend, rows, length, variant }: Entry): Promise<Engine> {
  if (workload === 'C') return (await import('./iteration.ts')).openIteration(backend);
  if (workload === 'rollout') {
    const opened = await (await import('./rollout.ts')).openRollout(engine, backend, length !== undefined);
    return { ...opened, speed: opened.speed ?? (engine === 'cothink' ? await deviceSpeed() : undefined) };
  }
  const work = workload === 'growth' ? stretchedWork(rows ?? 0, length ?? 0) : stepWork(workload);
  return openEngine(engine as EngineName, work, { backend, variant });
}

/** The child side: opens the entry and performs the number of steps in each message. */
export async function serveEngine(entry: Entry): Promise<void> {
  const answer = (message: Answer) => process.send?.(message);
  try {
    const { step, ...opened } = await openEntry(entry);
    process.on('message', ({ take }: { take: number }) => {
      taken(step, take).then((samples) => answer({ samples }), fail);
    });
    process.on('disconnect', () => process.exit(0));
    answer({ opened });
  } catch (error) {
    fail(error);
  }
  function fail(error: unknown): void {
    answer({ failed: ((error as Error).message ?? String(error)).split('\n')[0] as string });
  }
}

async function taken(step: Engine['step'], count: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (let i = 0; i < count; i++) {
    const before = { ...gpuCounts };
    const cpu = process.cpuUsage();
    const started = performance.now();
    const { loss, submitMs, encodeMs, tokens, extra, updates = 1 } = await step();
    const ms = performance.now() - started;
    const { user, system } = process.cpuUsage(cpu);
    const each = (x: number | null | undefined) => (typeof x === 'number' ? x / updates : null);
    samples.push({
      ms: ms / updates,
      cpuMs: (user + system) / 1000 / updates,
      loss,
      submitMs: each(submitMs),
      encodeMs: each(encodeMs),
      dispatches: (gpuCounts.dispatches - before.dispatches) / updates,
      submits: (gpuCounts.submits - before.submits) / updates,
      tokens: tokens ?? null,
      extra: extra ?? {},
    });
  }
  return samples;
}

/** The parent side of one engine. */
export interface Remote {
  entry: Entry;
  opened: Opened;
  take: (count: number) => Promise<Sample[]>;
  stop: () => void;
}

/** Starts a process and opens the entry there; rejects with the error. */
export async function startEngine(entry: Entry): Promise<Remote> {
  const program = [...process.execArgv, process.argv[1] as string, 'serve', JSON.stringify(entry)];
  const child = spawn(process.execPath, program, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let said = '';
  child.stderr?.on('data', (bytes: Buffer) => (said = (said + bytes.toString()).slice(-2000)));
  const first = await answered(child, () => said);
  if (!('opened' in first)) throw new Error('an engine answered out of turn');
  return {
    entry,
    opened: first.opened,
    take: async (count) => {
      const answer = answered(child, () => said);
      child.send({ take: count });
      const got = await answer;
      return 'samples' in got ? got.samples : [];
    },
    stop: () => child.kill(),
  };
}

/** Returns the line in which a crashed program gives the reason. */
function lastError(said: string): string {
  const lines = said.trim().split('\n');
  return lines.findLast((line) => line.includes('Error')) ?? lines.at(-1) ?? 'without a word';
}

function answered(child: ChildProcess, said: () => string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      child.off('message', onMessage).off('exit', onExit);
      finish();
    };
    const onMessage = (message: Answer) =>
      settle(() => ('failed' in message ? (child.kill(), reject(new Error(message.failed))) : resolve(message)));
    const onExit = () => settle(() => reject(new Error(`ended early: ${lastError(said())}`)));
    child.on('message', onMessage).on('exit', onExit);
  });
}
