// TensorFlow.js's WebGPU backend, with the same name and all its kernels, and with three additional features: tensors
// that are views of one buffer, runs that are recorded and replayed, and counters. Methods are overridden only in the
// few places that every kernel uses: binding, uploading, freeing, reading and submitting.
import { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { type MemoryMeter, tally } from '../../counters.ts';
import { forget, partsOf, recordOf, type TensorRecord } from './backendParts.ts';
import { BufferPool } from './bufferPool.ts';
import { Capture } from './capture.ts';
import { readAlong } from './commandNotes.ts';
import { copyWithin, download } from './downloads.ts';
import { InputBlock, type Upload } from './inputBlock.ts';
import type { ReplayBackend } from './replayBackend.ts';
import { type CaptureError, Recording } from './recording.ts';
import { ReplayTimer } from './replayTimer.ts';
import { UploadBlock } from './uploads.ts';
import { type ArrayLayout, FlatBuffer, layOut, packInto, tensorUsage, type View } from './views.ts';

type Values = tf.backend_util.BackendValues;

/** The maximum number of uniform buffers that are kept outside of captures. */
const keptUniforms = 4096;

export class CapturingBackend extends WebGPUBackend implements ReplayBackend {
  isLost = false;
  readonly pool: BufferPool;
  readonly timer: ReplayTimer | null;
  readonly meter: MemoryMeter;
  readonly #views = new WeakMap<object, View>();
  readonly #uploads: UploadBlock;
  readonly #uniforms = new Map<string, GPUBufferBinding>();
  #recording: Recording | null = null;

  constructor(device: GPUDevice, info: GPUAdapterInfo) {
    super(device, info);
    const pool = new BufferPool(device);
    this.pool = pool;
    this.bufferManager = pool as unknown as WebGPUBackend['bufferManager'];
    this.#uploads = new UploadBlock(device.queue, pool);
    this.timer = device.features.has('timestamp-query') ? new ReplayTimer(device) : null;
    const hasTimestamps = this.timer !== null;
    this.meter = {
      hasTimestamps,
      get usedBytes() {
        return pool.numBytesUsed;
      },
      get peakBytes() {
        return pool.peakBytes;
      },
      restartPeak: () => pool.restartPeak(),
    };
    void device.lost.then(() => (this.isLost = true));
    this.#narrowHiddenMethods();
  }

  get isRecording(): boolean {
    return this.#recording !== null;
  }

  /**
   * Creates tensors that are views of one buffer and that tf.tidy does not dispose. If all arrays contain values, these
   * are uploaded together.
   */
  flat(arrays: readonly (ArrayLayout & { values?: Float32Array | Int32Array })[]): tf.Tensor[] {
    const { places, bytes } = layOut(arrays);
    const flat = new FlatBuffer(this.pool, Math.max(bytes, 4));
    const values = arrays.flatMap(({ values: one }) => one ?? []);
    if (values.length === arrays.length) {
      const packed = new Uint8Array(bytes);
      packInto(packed, places, values);
      this.queue.writeBuffer(flat.buffer, 0, packed);
      tally.uploadedBytes += bytes;
    }
    return arrays.map(({ shape, dtype }, i) => {
      const { offset, size } = places[i] as { offset: number; size: number };
      if (size === 0) return tf.keep(tf.tensor([], [...shape], dtype));
      const info = this.makeTensorInfo([...shape], dtype);
      const record = recordOf(this, info.dataId) as TensorRecord;
      record.resource = flat.buffer;
      record.external = true;
      this.#views.set(info.dataId, flat.view(offset, size));
      return tf.keep(tf.engine().makeTensorFromTensorInfo(info, this));
    });
  }

  /** The part of a shared buffer that contains a tensor; undefined if the tensor has its own buffer. */
  viewOf({ dataId }: tf.TensorInfo): View | undefined {
    return this.#views.get(dataId);
  }

  /** Creates the input tensors for a run that is to be replayed, without numbers. */
  inputs(uploads: Record<string, Upload>): InputBlock {
    return new InputBlock(this, uploads);
  }

  /**
   * Overwrites the first `size` bytes of a buffer. Commands that were encoded before see the old content, and commands
   * that are encoded later see the new content.
   */
  refill(target: GPUBuffer, size: number, fill: (bytes: Uint8Array) => void): void {
    if (!partsOf(this).commandEncoder) {
      this.#uploads.direct(target, size, fill);
      return;
    }
    const { bytes, buffer, offset } = this.#uploads.reserve(size);
    fill(bytes);
    copyWithin(this, { buffer, offset, size }, { buffer: target, offset: 0 });
  }

  /**
   * A new tensor with the values that a tensor will have after all commands encoded so far; null if these values are on
   * the CPU.
   */
  copyOf({ dataId, shape, dtype }: tf.TensorInfo): tf.Tensor | null {
    const from = this.#stretchOf(dataId);
    if (!from || this.#recording) return null;
    const info = this.makeTensorInfo(shape, dtype);
    const buffer = this.pool.acquireBuffer(from.size, tensorUsage());
    (recordOf(this, info.dataId) as TensorRecord).resource = buffer;
    copyWithin(this, from, { buffer, offset: 0 });
    for (const id of [dataId, info.dataId]) partsOf(this).commandQueueOwnedIds.add(id);
    return tf.engine().makeTensorFromTensorInfo(info, this);
  }

  /**
   * The numbers that several float32 tensors will have after all commands encoded so far, read together; null if some
   * of them are on the CPU.
   */
  readTogether(infos: readonly tf.TensorInfo[]): Promise<Float32Array> | null {
    const stretches = infos.flatMap(({ dataId }) => this.#stretchOf(dataId) ?? []);
    if (stretches.length < infos.length || this.#recording) return null;
    return download(this, stretches).then((bytes) => new Float32Array(bytes));
  }

  /** Submits all waiting commands. */
  flush(): void {
    this.submitQueue();
  }

  /** Must be called before a tensor is written in place, because values that were read from it become invalid. */
  noteWrite(dataId: object): void {
    const record = recordOf(this, dataId);
    if (record) forget(record);
    this.#recording?.onWritten(dataId);
  }

  /**
   * Runs `compute` as usual and records its commands.
   * @returns its outputs, and the capture or the reason why there is none
   */
  record(compute: () => { handles: tf.Tensor[]; returned: tf.Tensor[] }): {
    handles: tf.Tensor[];
    capture: Capture | null;
    failure: CaptureError | null;
  } {
    this.flush();
    const recording = new Recording(this, new BufferPool(this.device, this.pool));
    this.#recording = recording;
    this.bufferManager = recording.pool as unknown as WebGPUBackend['bufferManager'];
    let outputs: { handles: tf.Tensor[]; returned: tf.Tensor[] } | null = null;
    try {
      outputs = compute();
    } finally {
      this.flush();
      this.#recording = null;
      this.bufferManager = this.pool as unknown as WebGPUBackend['bufferManager'];
      if (!outputs) recording.pool.surrender();
    }
    const { handles } = outputs;
    recording.finish(new Set(handles.map(({ dataId }) => dataId)));
    if (!recording.failure) return { handles, capture: new Capture(this, recording, outputs), failure: null };
    recording.pool.surrender();
    return { handles, capture: null, failure: recording.failure };
  }

  override write(values: Values, shape: number[], dtype: tf.DataType): tf.DataId {
    const dataId = super.write(values, shape, dtype);
    this.#recording?.onMade(dataId);
    return dataId;
  }

  override uploadToGPU(dataId: object): void {
    const record = recordOf(this, dataId);
    if (!record?.values || record.resource || record.dtype === 'string') super.uploadToGPU(dataId);
    else if (this.#recording) this.#recording.upload(dataId, record, () => this.#upload(record));
    else this.#upload(record);
  }

  override disposeData(dataId: object, force = false): boolean {
    const recording = this.#recording;
    if (recording && this.tensorMap.has(dataId)) {
      // The buffers of tensors that a recorded run creates can be reused within the run; otherwise each tensor would
      // need a buffer of its own.
      if (recording.hasMade(dataId)) partsOf(this).commandQueueOwnedIds.delete(dataId);
      else if (force || this.refCount(dataId) === 1) recording.refuse('it frees a tensor that was made before');
    }
    return super.disposeData(dataId, force);
  }

  override ensureCommandEncoderReady(): void {
    const parts = partsOf(this);
    if (parts.commandEncoder) return;
    super.ensureCommandEncoderReady();
    const made = partsOf(this).commandEncoder as GPUCommandEncoder;
    if (this.#recording) parts.commandEncoder = readAlong(made, this.#recording);
  }

  override submitQueue(): void {
    const { commandEncoder } = partsOf(this);
    if (!commandEncoder) return;
    this.endComputePassEncoder();
    const readTimes = this.timer?.resolve(commandEncoder);
    this.#uploads.write();
    super.submitQueue();
    this.#uploads.settle();
    tally.submits++;
    readTimes?.();
  }

  override runWebGPUProgram(...args: Parameters<WebGPUBackend['runWebGPUProgram']>): tf.TensorInfo {
    tally.dispatches++;
    return super.runWebGPUProgram(...args);
  }

  override async read(dataId: object): Promise<Values> {
    this.#recording?.refuse('it reads numbers back');
    const record = recordOf(this, dataId);
    if (!record?.resource || record.values || record.dtype === 'complex64') return super.read(dataId);
    const { version } = record;
    const bytes = await download(this, [this.#stretchOf(dataId) as Required<GPUBufferBinding>]);
    const values = tf.util.convertBackendValuesAndArrayBuffer(bytes, record.dtype);
    if (record.version === version) record.values = values;
    return values;
  }

  override readSync(dataId: object): Values {
    this.#recording?.refuse('it reads numbers back');
    const record = recordOf(this, dataId);
    const view = this.#views.get(dataId);
    if (!view || !record || record.values) return super.readSync(dataId);
    // The method of TensorFlow.js reads whole buffers, so it is given a buffer that contains only this tensor.
    const own = this.pool.acquireBuffer(view.size, tensorUsage());
    const from = { buffer: view.flat.buffer, offset: view.offset, size: view.size };
    copyWithin(this, from, { buffer: own, offset: 0 });
    record.resource = own;
    const values = super.readSync(dataId);
    record.resource = view.flat.buffer;
    this.pool.releaseBuffer(own);
    return values;
  }

  /** The part of a buffer in which a tensor is stored on the device. */
  #stretchOf(dataId: object): Required<GPUBufferBinding> | null {
    const buffer = recordOf(this, dataId)?.resource;
    if (!buffer) return null;
    const { offset, size } = this.#views.get(dataId) ?? { offset: 0, size: buffer.size };
    return { buffer, offset, size };
  }

  #upload(record: TensorRecord): void {
    const { values, dtype } = record;
    const array = dtype === 'float32' ? new Float32Array(values as never) : new Int32Array(values as never);
    const buffer = this.pool.acquireBuffer(array.byteLength, tensorUsage());
    this.queue.writeBuffer(buffer, 0, array);
    tally.uploadedBytes += array.byteLength;
    record.resource = buffer;
    record.values = null;
  }

  #narrowHiddenMethods(): void {
    const parts = partsOf(this);
    const bind = parts.tensorToBinding.bind(this);
    parts.tensorToBinding = (tensor) => {
      const binding = bind(tensor);
      const view = this.#views.get(tensor.dataId);
      this.#recording?.onBound(tensor.dataId, binding.buffer);
      return view ? { buffer: binding.buffer, offset: view.offset, size: view.size } : binding;
    };
    const release = parts.releaseResource.bind(this);
    parts.releaseResource = (dataId) => {
      release(dataId);
      this.#views.get(dataId)?.flat.release();
      this.#views.delete(dataId);
    };
    const make = parts.makeUniforms.bind(this);
    parts.makeUniforms = (fields) => {
      const key = fields.map(({ type, data }) => `${type} ${data.join()}`).join(';');
      const known = this.#uniforms.get(key);
      if (known) return known;
      const made = make(fields);
      if (this.#recording || this.#uniforms.size < keptUniforms) {
        parts.uniformPendingDisposal.pop();
        this.#uniforms.set(key, made);
      }
      return made;
    };
  }
}
