// Starts helper threads, which are module workers in the browser and worker_threads in Node.
import { nodeModule } from '../../../base/nodeModule.ts';
import { partTaker, serve, type HelperTask } from './serve.ts';

export interface Helper {
  /** Resolves when the helper is waiting for calls; rejects if it could not start. */
  ready: Promise<void>;
  /** Ends the helper, even while it works on a call. */
  stop: () => void;
  /** Sets a function that is called if the helper ends unexpectedly. */
  onDeath: (hear: () => void) => void;
}

interface NodeWorker {
  on: (event: 'message' | 'error' | 'exit', hear: (value: unknown) => void) => void;
  terminate: () => unknown;
  unref: () => void;
}
interface NodeThreads {
  Worker: new (text: string, options: { eval: true; workerData: HelperTask; execArgv: string[] }) => NodeWorker;
}
interface Surroundings {
  crossOriginIsolated?: boolean;
  navigator?: { hardwareConcurrency?: number };
}
const surroundings = globalThis as Surroundings;

/** Number of processor cores of this machine; undefined if it is unknown. */
export function coreCount(): number | undefined {
  const fromNode = () => nodeModule<{ availableParallelism: () => number }>('node:os')?.availableParallelism();
  return surroundings.navigator?.hardwareConcurrency ?? fromNode();
}

/**
 * Whether threads can share memory in this environment and the current thread can wait for a change in this memory. The
 * main thread of a page cannot wait.
 */
export function canShareMemory(): boolean {
  const isIsolated = surroundings.crossOriginIsolated ?? nodeModule('node:worker_threads') !== undefined;
  if (!isIsolated || typeof SharedArrayBuffer === 'undefined') return false;
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 0);
    return true;
  } catch {
    return false;
  }
}

/** Starts one helper, which takes part in the pool once it is ready. */
export function startHelper(task: HelperTask): Helper {
  const threads = nodeModule<NodeThreads>('node:worker_threads');
  return threads ? startInNode(threads, task) : startInBrowser(task);
}

function startInBrowser(task: HelperTask): Helper {
  const worker = new Worker(new URL('./helper.worker.ts', import.meta.url), { type: 'module', name: 'kernels' });
  const deaths: (() => void)[] = [];
  const ready = new Promise<void>((resolve, reject) => {
    worker.onmessage = () => {
      resolve();
    };
    worker.onerror = ({ message }) => {
      reject(new Error(message || 'a helper thread could not be loaded'));
      for (const hear of deaths) hear();
    };
  });
  worker.postMessage(task);
  return {
    ready,
    stop: () => {
      worker.terminate();
    },
    onDeath: (hear) => deaths.push(hear),
  };
}

function startInNode({ Worker: NodeThread }: NodeThreads, task: HelperTask): Helper {
  const tell = "() => require('node:worker_threads').parentPort.postMessage('ready')";
  const text = `(${serve.toString()})(${partTaker.toString()}, require('node:worker_threads').workerData, ${tell});`;
  const worker = new NodeThread(text, { eval: true, workerData: task, execArgv: [] });
  const deaths: (() => void)[] = [];
  const ready = new Promise<void>((resolve, reject) => {
    worker.on('message', () => {
      worker.unref(); // a program that has nothing else to do may end
      resolve();
    });
    worker.on('error', reject);
    worker.on('exit', () => {
      reject(new Error('a helper thread ended'));
      for (const hear of deaths) hear();
    });
  });
  return { ready, stop: () => void worker.terminate(), onDeath: (hear) => deaths.push(hear) };
}
