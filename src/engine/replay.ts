// The interface for work that is repeated with different numbers, such as an update or a decoding step. On WebGPU the
// second run with a key is recorded. From the third run on, its commands are submitted again without running the
// program. This takes the CPU a millisecond, whereas TensorFlow.js takes tens of milliseconds. On all other backends,
// and whenever a run cannot be recorded, the program is run as usual; the results are identical.
//
// So `compute` may depend only on its inputs, on tensors that keep their buffers (parameters, moments, sums, all
// changed in place) and on the key; anything else that it reads is fixed at the time of the recording.
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
   * Tensors that no tidy disposes. The caller must read or use them before the next run with this key, which writes
   * into the same buffers.
   */
  outputs: O;
  /** Frees the outputs. */
  release(): void;
}

/** The size of a capture that can be replayed. */
export interface RecordingSize {
  bytes: number;
  /** Shape of the rows for which the capture was recorded; empty for a computation without rows. */
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

/** The maximum number of captures of one `Replays`; the least recently used are dropped. */
export const mostEntries = 24;
/** The maximum bytes of the captures of one `Replays`. */
export const mostBytes = 2 ** 30;
/** The maximum number of names of dropped entries that are remembered. */
const mostDropped = 500;
/** A run whose recording failed this many times is not recorded again. */
const mostFailures = 3;

export class Replays {
  readonly #isOn: boolean;
  /** Entries, with the least recently used first. */
  readonly #entries = new Map<string, Entry>();
  readonly #reasons = new Map<string, string>();
  /** Keys that were dropped for lack of memory. */
  readonly #dropped = new Set<string>();
  #depth = 0;

  /**
   * @param isOn if false, everything runs without replay
   */
  constructor(isOn: boolean) {
    this.#isOn = isOn;
  }

  /**
   * Describes the first computation that runs without replay although it could use it, and the reason; empty if there
   * is none.
   */
  get note(): string {
    const [first] = this.#reasons;
    if (!first) return '';
    const others = this.#reasons.size - 1;
    const more = others > 0 ? spoken`, and so do ${others} more` : '';
    return spoken`“${first[0]}” runs without replay${more}: ${first[1]}.`;
  }

  /** The number of captures that can be replayed. */
  get captures(): number {
    return [...this.#entries.values()].filter(({ capture }) => capture).length;
  }

  /** The bytes that captures and inputs occupy on the device. */
  get bytes(): number {
    return [...this.#entries.values()].reduce(
      (sum, { capture, inputs }) => sum + (capture?.bytes ?? 0) + inputs.bytes,
      0,
    );
  }

  /** One entry for each capture that can be replayed. */
  get recordings(): RecordingSize[] {
    return [...this.#entries.values()].flatMap(({ capture, inputs, shape }) =>
      capture ? [{ bytes: capture.bytes + inputs.bytes, shape }] : [],
    );
  }

  /**
   * Uploads the inputs and runs `compute` on them, or replays its recording.
   * @param key names the computation; together with the shapes of the inputs it must determine everything that
   * `compute` depends on
   * @throws DeviceLostError when the device is gone.
   */
  run<O extends tf.Tensor[]>(key: string, uploads: Uploads, compute: Compute<O>): Taken<O> {
    return this.repeat(key, uploads, 1, compute);
  }

  /**
   * Like `run`, but runs `compute` `count` times over the same inputs in one submission; the outputs are those of the
   * last time.
   */
  repeat<O extends tf.Tensor[]>(key: string, uploads: Uploads, count: number, compute: Compute<O>): Taken<O> {
    return withoutCpu(() => {
      const backend = this.#isOn ? capturingBackend() : null;
      if (!backend || backend.isRecording) return plainly(uploads, count, compute);
      if (backend.isLost)
        throw new DeviceLostError(
          spoken`The graphics device was lost before “${key}”. Resume from the last checkpoint, or train with run.backend = cpu.`,
        );
      const entry = this.#entryOf(key, uploads, backend);
      entry.inputs.write(uploads);
      const handles = this.#take(entry, key, count, compute);
      if (this.#depth === 0) backend.flush();
      return taken(handles as O);
    });
  }

  /** Submits all runs within `work` together at the end of `work`, which must not wait for anything. */
  together<T>(work: () => T): T {
    this.#depth++;
    try {
      return work();
    } finally {
      this.#depth--;
      if (this.#depth === 0) capturingBackend()?.flush();
    }
  }

  /** Frees all captures and inputs; outputs that the caller still holds remain valid. */
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
        spoken`${key} (in some shapes)`,
        spoken`its inputs have more different shapes than the maximum of ${mostEntries}`,
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
    // Commands that have not been submitted yet may use the capture and its inputs.
    backend.flush();
    capture?.dispose();
    inputs.dispose();
  }
}

/** The current backend if it can record, otherwise null. */
function capturingBackend(): CapturingBackend | null {
  const backend = tf.backend() as Partial<CapturingBackend>;
  return backend.record ? (backend as CapturingBackend) : null;
}

/**
 * Runs `work` only on the device. Otherwise, with WebGPU, small tensors would occasionally be computed on the CPU and
 * rounded differently.
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

/** Runs once. The caller owns the returned handles, even if the tensor of a handle also exists elsewhere. */
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

// Keeps numbers beyond a replay, because the next replayed run overwrites the outputs of this one. `copyOf` copies one
// on the device. `readTogether` reads several tensors back at once. If it is called before the commands of a run are
// submitted (Replays.together), the copy is submitted with them and does not need a separate submission.

/** A copy of the tensor with the same numbers, owned by the caller. */
export function copyOf<T extends tf.Tensor>(tensor: T): T {
  const copied = capturingBackend()?.copyOf(tensor);
  return tf.keep((copied ?? tf.tidy(() => tf.add(tensor, scalar(0)))) as T);
}

/** The numbers of float32 tensors, one after another. Throws DeviceLostError if none arrive. */
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
