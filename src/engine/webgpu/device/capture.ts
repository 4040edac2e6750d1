// A capture is a recorded run that can be replayed without the program that created it (like a CUDA graph). It consists
// of the list of its dispatches and the buffers that they use. Tensors from outside that it reads (parameters, inputs,
// constants) must stay in their buffers. Tensors that it creates have their own buffers, to which every replay writes
// in the same order.
import * as tf from '@tensorflow/tfjs-core';
import { tally } from '../../counters.ts';
import { forget, partsOf, recordOf, type TensorRecord } from './backendParts.ts';
import type { ReplayBackend } from './replayBackend.ts';
import type { Recording } from './recording.ts';
import type { ReplayTime } from './replayTimer.ts';

export class Capture {
  readonly #backend: ReplayBackend;
  readonly #recording: Recording;
  // The records that the backend keeps for tensors are stored instead of the tensors, because they show whether a
  // tensor was freed, which is checked before every replay.
  /** Tensors from outside, each with its buffer. */
  readonly #outside: (readonly [TensorRecord, GPUBuffer])[];
  /** Tensors that are written in place, each with the number of references to it between two runs. */
  readonly #holders: (readonly [TensorRecord, number])[];
  /**
   * One tensor for each output. If the run created the tensor, it is a tensor of this capture; otherwise it is the
   * returned tensor itself, which comes from outside.
   */
  readonly #outputs: tf.Tensor[];
  readonly #own: tf.Tensor[];
  /** Tensors to which every replay writes. */
  readonly #written: readonly TensorRecord[];
  /** Tensors whose buffers must not be freed before the commands are submitted. */
  readonly #owned: readonly object[];
  readonly #time: ReplayTime = { ms: null, untimed: 0 };

  /**
   * @param recording a finished recording without a failure
   * @param handles outputs of the recorded run, which the caller keeps
   * @param returned the tensors that the run itself returned, in the same order
   */
  constructor(backend: ReplayBackend, recording: Recording, outputs: { handles: tf.Tensor[]; returned: tf.Tensor[] }) {
    this.#backend = backend;
    this.#recording = recording;
    const { handles, returned } = outputs;
    const known = (dataId: object) => recordOf(backend, dataId) as TensorRecord;
    const held = (dataId: object) => handles.filter((handle) => handle.dataId === dataId).length;
    this.#outside = [...recording.outside].map(([dataId, buffer]) => [known(dataId), buffer]);
    this.#holders = [...recording.written].map((dataId) => [known(dataId), known(dataId).refCount - held(dataId)]);
    const isOwn = ({ dataId }: tf.Tensor) => recording.hasMade(dataId);
    this.#own = handles.filter(isOwn).map((handle) => tf.keep(tf.clone(handle)));
    const made = this.#own.map(({ dataId }) => dataId).filter((dataId) => known(dataId).resource);
    this.#written = [...this.#holders.map(([record]) => record), ...made.map(known)];
    this.#owned = [...recording.outside.keys(), ...made];
    let next = 0;
    this.#outputs = handles.map((handle, i) => (isOwn(handle) ? this.#own[next++] : returned[i]) as tf.Tensor);
  }

  /** The bytes of device memory that only this capture uses. */
  get bytes(): number {
    return this.#recording.pool.numBytesAllocated;
  }

  /** Whether every tensor is still in its buffer, and the tensors that are written in place have no new references. */
  get isSound(): boolean {
    if (this.#backend.isLost) return false;
    for (const [record, buffer] of this.#outside) if (record.resource !== buffer) return false;
    for (const [record, holders] of this.#holders) if (record.refCount !== holders) return false;
    return true;
  }

  /** Adds the dispatches, repeated `times` times, to the commands that will be submitted next. */
  replay(times: number): void {
    const { commands } = this.#recording;
    const backend = this.#backend;
    const parts = partsOf(backend);
    backend.endComputePassEncoder();
    backend.ensureCommandEncoderReady();
    const encoder = parts.commandEncoder as GPUCommandEncoder;
    const pass = encoder.beginComputePass(backend.timer?.nextPass(this.#time, times));
    for (let time = 0; time < times; time++) {
      let last: GPUComputePipeline | null = null;
      for (const { pipeline, group, counts } of commands) {
        if (pipeline !== last) pass.setPipeline(pipeline);
        last = pipeline;
        pass.setBindGroup(0, group);
        pass.dispatchWorkgroups(counts[0], counts[1], counts[2]);
      }
    }
    pass.end();
    tally.dispatches += commands.length * times;
    for (const record of this.#written) forget(record);
    for (const dataId of this.#owned) parts.commandQueueOwnedIds.add(dataId);
  }

  /** The outputs as tensors that the caller owns and must read or use before the next replay. */
  outputs(): tf.Tensor[] {
    // This does the same as tf.clone but calls no kernel, because it happens in every step.
    return this.#outputs.map(({ dataId, shape, dtype }) => {
      this.#backend.incRef(dataId);
      return tf.keep(tf.engine().makeTensorFromTensorInfo({ dataId, shape, dtype }, this.#backend));
    });
  }

  /** Frees all buffers. Outputs that the caller still has remain valid. */
  dispose(): void {
    this.#backend.flush();
    tf.dispose(this.#own);
    this.#recording.pool.dispose();
  }
}
