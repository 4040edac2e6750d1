// The interface for work that is repeated with different numbers, such as an update or a decoding step. On WebGPU the
// second run with a key is recorded. From the third run on, the recorded commands are submitted again without running
// the program. This takes a millisecond of CPU time, whereas running the program with TensorFlow.js takes tens of
// milliseconds. On other backends, and if a run cannot be recorded, the program runs as usual, with identical results.
// `compute` may therefore depend only on its inputs, on tensors that keep their buffers (parameters, moments, sums, all
// changed in place) and on the key. If `compute` reads any other value, a replay uses the value at the time of the
// recording.
import * as tf from '@tensorflow/tfjs-core';
import { DeviceLostError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { scalar } from './ops/constants.ts';
import type { Capture } from './webgpu/device/capture.ts';
import type { CapturingBackend } from './webgpu/device/capturingBackend.ts';
import type { InputBlock, Upload } from './webgpu/device/inputBlock.ts';

export type Uploads = Record<string, Upload>;
export type Compute<O extends tf.Tensor[]> = (inputs: Record<string, tf.Tensor>) => O;

export interface Taken<O extends tf.Tensor[]> {
  /**
   * Tensors that tf.tidy does not dispose. The caller must read or use them before the next run with this key, which
   * writes into the same buffers.
   */
  outputs: O;
  /** Frees the outputs. */
  release(): void;
}

/** The size of a recording that can be replayed. */
export interface RecordingSize {
  bytes: number;
  /** The shape of the batch for which the work was recorded; empty for work without rows. */
  shape: readonly number[];
}

interface Entry {
  shape: readonly number[];
  backend: CapturingBackend;
  inputs: InputBlock;
  capture: Capture | null;
  runs: number;
  failures: number;
}

/** The maximum number of recordings of one `Replays`; if there are more, the least recently used ones are dropped. */
export const mostEntries = 24;
/** The maximum number of bytes of the recordings of one `Replays`. */
export const mostBytes = 2 ** 30;
/** The maximum number of dropped keys that are remembered. */
const mostDropped = 500;
/** After this many failed attempts to record a run, it is no longer recorded. */
const mostFailures = 3;

export class Replays {
  readonly #isOn: boolean;
  /** The entries in the order of their last use; the first one is the least recently used. */
  readonly #entries = new Map<string, Entry>();
  readonly #reasons = new Map<string, string>();
  /** The keys of entries that were dropped because there were too many or because they needed too much memory. */
  readonly #dropped = new Set<string>();
  #depth = 0;

  /**
   * @param isOn if false, everything runs without replay
   */
  constructor(isOn: boolean) {
    this.#isOn = isOn;
  }

  /**
   * Describes the first computation that could be recorded in general but was not, and the reason; empty if there is
   * none.
   */
  get note(): string {
    const [first] = this.#reasons;
    if (!first) return '';
    const others = this.#reasons.size - 1;
    const more = others > 0 ? spoken` Number of other computations without replay: ${others}.` : '';
    return spoken`“${first[0]}” runs without replay: ${first[1]}.${more}`;
  }

  /** The number of recordings that can be replayed. */
  get captures(): number {
    return [...this.#entries.values()].filter(({ capture }) => capture).length;
  }

  /** The bytes that recordings and their inputs occupy on the device. */
  get bytes(): number {
    return [...this.#entries.values()].reduce(
      (sum, { capture, inputs }) => sum + (capture?.bytes ?? 0) + inputs.bytes,
      0,
    );
  }

  /** One entry for each recording that can be replayed. */
  get recordings(): RecordingSize[] {
    return [...this.#entries.values()].flatMap(({ capture, inputs, shape }) =>
      capture ? [{ bytes: capture.bytes + inputs.bytes, shape }] : [],
    );
  }

  /**
   * Uploads the inputs and runs `compute` on them, or replays its recording.
   * @param key identifies the computation; together with the shapes of the inputs it must determine everything on which
   * `compute` depends
   * @throws DeviceLostError if the device was lost
   */
  run<O extends tf.Tensor[]>(key: string, uploads: Uploads, compute: Compute<O>): Taken<O> {
    return this.repeat(key, uploads, 1, compute);
  }

  /**
   * Like `run`, but runs `compute` `count` times with the same inputs in one submission. The outputs are those of the
   * last time.
   */
  repeat<O extends tf.Tensor[]>(key: string, uploads: Uploads, count: number, compute: Compute<O>): Taken<O> {
    return withoutCpu(() => {
      const backend = this.#isOn ? capturingBackend() : null;
      if (!backend || backend.isRecording) return plainly(uploads, count, compute);
      if (backend.isLost)
        throw new DeviceLostError(
          spoken`The graphics device was lost before the step “${key}”. Resume from the last checkpoint, or train with run.backend = cpu.`,
        );
      const entry = this.#entryOf(key, uploads, backend);
      entry.inputs.write(uploads);
      const handles = this.#take(entry, key, count, compute);
      if (this.#depth === 0) backend.flush();
      return taken(handles as O);
    });
  }

  /** Submits all commands of `work` together when it ends. `work` must be synchronous. */
  together<T>(work: () => T): T {
    this.#depth++;
    try {
      return work();
    } finally {
      this.#depth--;
      if (this.#depth === 0) capturingBackend()?.flush();
    }
  }

  /** Frees all recordings and inputs. Outputs that the caller still has remain valid. */
  dispose(): void {
    for (const key of [...this.#entries.keys()]) this.#drop(key);
    this.#dropped.clear();
    this.#reasons.clear();
  }

  #take(entry: Entry, key: string, count: number, compute: Compute<tf.Tensor[]>): tf.Tensor[] {
    const { backend, inputs } = entry;
    if (entry.capture && !entry.capture.isSound) {
      entry.capture.dispose();
      entry.capture = null;
      entry.runs = 0;
    }
    if (entry.capture) {
      entry.capture.replay(count);
      return entry.capture.outputs();
    }
    if (++entry.runs < 2 || entry.failures >= mostFailures) return runTimes(count, compute, inputs.tensors);
    const { handles, capture, failure } = backend.record(() => hold(compute, inputs.tensors));
    if (capture) {
      entry.capture = capture;
      this.#reasons.delete(key);
      this.#makeRoom();
      if (count > 1) capture.replay(count - 1);
      return handles;
    }
    entry.failures++;
    this.#reasons.set(key, failure?.message ?? spoken`the reason is unknown`);
    if (count === 1) return handles;
    tf.dispose(handles);
    return runTimes(count - 1, compute, inputs.tensors);
  }

  #entryOf(key: string, uploads: Uploads, backend: CapturingBackend): Entry {
    const shapes = Object.entries(uploads).map(
      ([name, { values, shape }]) => `${name} ${values.constructor.name} ${shape.join()}`,
    );
    const whole = [key, ...shapes].join('; ');
    let entry = this.#entries.get(whole);
    if (entry && entry.backend !== backend) {
      this.#drop(whole);
      entry = undefined;
    }
    if (!entry && this.#dropped.delete(whole))
      this.#reasons.set(
        spoken`${key} (with some input shapes)`,
        spoken`more recordings are needed than can be kept (at most ${mostEntries} in ${mostBytes / 2 ** 30} GiB)`,
      );
    entry ??= {
      shape: uploads['ids']?.shape ?? [],
      backend,
      inputs: backend.inputs(uploads),
      capture: null,
      runs: 0,
      failures: 0,
    };
    this.#entries.delete(whole);
    this.#entries.set(whole, entry);
    if (this.#entries.size > mostEntries) this.#makeWay();
    return entry;
  }

  #makeRoom(): void {
    const bytes = () => [...this.#entries.values()].reduce((sum, { capture }) => sum + (capture?.bytes ?? 0), 0);
    while (this.#entries.size > 1 && bytes() > mostBytes) this.#makeWay();
  }

  /** Drops the least recently used entry, and remembers its key. */
  #makeWay(): void {
    const oldest = this.#entries.keys().next().value as string;
    this.#drop(oldest);
    if (this.#dropped.size >= mostDropped) this.#dropped.clear();
    this.#dropped.add(oldest);
  }

  #drop(key: string): void {
    const { backend, capture, inputs } = this.#entries.get(key) as Entry;
    this.#entries.delete(key);
    // Commands that use the recording and its inputs may not have been submitted yet, so they are submitted first.
    backend.flush();
    capture?.dispose();
    inputs.dispose();
  }
}

/** The current backend if it can record commands, otherwise null. */
function capturingBackend(): CapturingBackend | null {
  const backend = tf.backend() as Partial<CapturingBackend>;
  return backend.record ? (backend as CapturingBackend) : null;
}

/**
 * Makes sure that `work` computes only on the device. Otherwise, the WebGPU backend would sometimes compute small
 * tensors on the CPU, where results are rounded differently.
 */
function withoutCpu<T>(work: () => T): T {
  if (tf.getBackend() !== 'webgpu') return work();
  const flag = 'WEBGPU_CPU_FORWARD';
  const before = tf.env().getBool(flag);
  tf.env().set(flag, false);
  try {
    return work();
  } finally {
    tf.env().set(flag, before);
  }
}

function plainly<O extends tf.Tensor[]>(uploads: Uploads, count: number, compute: Compute<O>): Taken<O> {
  const inputs = Object.fromEntries(
    Object.entries(uploads).map(([name, { values, shape }]) => [
      name,
      tf.keep(tf.tensor(values, [...shape], values instanceof Int32Array ? 'int32' : 'float32')),
    ]),
  );
  try {
    return taken(runTimes(count, compute, inputs) as O);
  } finally {
    tf.dispose(inputs);
  }
}

function runTimes(count: number, compute: Compute<tf.Tensor[]>, inputs: Record<string, tf.Tensor>): tf.Tensor[] {
  let handles: tf.Tensor[] = [];
  for (let time = 0; time < count; time++) {
    tf.dispose(handles);
    ({ handles } = hold(compute, inputs));
  }
  return handles;
}

/** Runs `compute` once. The caller owns the returned handles, even if the tensor of a handle also exists elsewhere. */
function hold(compute: Compute<tf.Tensor[]>, inputs: Record<string, tf.Tensor>) {
  let returned: tf.Tensor[] = [];
  const handles = tf.tidy(() => {
    returned = compute(inputs);
    return returned.map((tensor) => tf.keep(tf.clone(tensor)));
  });
  return { handles, returned };
}

function taken<O extends tf.Tensor[]>(outputs: O): Taken<O> {
  return { outputs, release: () => tf.dispose(outputs) };
}

// Functions that preserve numbers, because the next replay overwrites the outputs of this one. `copyOf` copies a tensor
// on the device. `readTogether` reads several tensors at once. If they are called before the commands of a run are
// submitted (Replays.together), the copy is submitted with them and needs no submission of its own.

/** A copy of the tensor with the same numbers, owned by the caller. */
export function copyOf<T extends tf.Tensor>(tensor: T): T {
  const copied = capturingBackend()?.copyOf(tensor);
  return tf.keep((copied ?? tf.tidy(() => tf.add(tensor, scalar(0)))) as T);
}

/**
 * The numbers of float32 tensors, one tensor after another. Throws DeviceLostError if the device does not deliver them.
 */
export async function readTogether(tensors: readonly tf.Tensor[]): Promise<Float32Array> {
  const reading = capturingBackend()?.readTogether(tensors);
  if (reading) return reading;
  const parts = await Promise.all(tensors.map((tensor) => tensor.data<'float32'>()));
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
