// Adds dispatches of the project's own programs to the commands of TensorFlow.js's WebGPU backend. In contrast to
// programs of `runWebGPUProgram`, a program can have several outputs, and may leave a binding unused, because all
// bindings are declared. Uniform buffers contain only sizes and constants, and are reused in later calls. The sources
// of the project's programs are short, so software adapters compile them in a tenth of the time. The backend still
// manages buffers and submissions.
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { tally } from '../../counters.ts';
import { partsOf } from '../device/backendParts.ts';
import { type Dispatch, groupSize, shaderText, type Slot, type Variant } from './program.ts';
import type { ReplayBackend } from '../device/replayBackend.ts';

interface Compiled {
  pipeline: GPUComputePipeline;
  layout: GPUBindGroupLayout;
  /** Bind groups that were created earlier. The key of a group consists of the numbers of the bound buffers. */
  groups: Map<string, GPUBindGroup>;
}

/** The maximum number of bind groups that are kept for each program. */
const keptGroups = 64;

export class Recorder {
  readonly backend: WebGPUBackend;
  readonly variant: Variant;
  readonly #compiled = new Map<string, Compiled>();
  readonly #uniforms = new Map<string, GPUBuffer>();
  /** A number for each buffer, which is used in the keys of bind groups. */
  readonly #names = new WeakMap<GPUBuffer, number>();
  #named = 0;
  /** A buffer that is bound in place of a tensor without elements, because such a tensor has no buffer. */
  readonly #nothing: GPUBuffer;

  constructor(backend: WebGPUBackend, variant: Variant) {
    this.backend = backend;
    this.variant = variant;
    this.#nothing = backend.device.createBuffer({ size: 16, usage: GPUBufferUsage.STORAGE });
  }

  /** A new tensor with undefined content. */
  allocate(shape: number[], dtype: 'float32' | 'int32' = 'float32'): tf.TensorInfo {
    const info = this.backend.makeTensorInfo(shape, dtype);
    if (tf.util.sizeFromShape(shape) === 0)
      this.backend.tensorMap.get(info.dataId).values = tf.util.getTypedArrayFromDType(dtype, 0);
    return info;
  }

  /** Frees tensors that are not returned to a caller, once the commands that use them have been submitted. */
  release(...infos: tf.TensorInfo[]): void {
    for (const { dataId } of infos) this.backend.disposeData(dataId);
  }

  /**
   * Adds one dispatch to the open compute pass. Values that were read earlier from a tensor to which the dispatch
   * writes are marked as invalid.
   */
  run(dispatch: Dispatch): void {
    if (dispatch.items === 0) return;
    const { program, writes, items } = dispatch;
    const compiled = this.#compile(dispatch);
    const converted: tf.TensorInfo[] = [];
    const reads = Object.values(dispatch.reads).map((slot) => {
      if (!this.#holdsIntegers(slot)) return slot;
      converted.push(this.#toFloats(slot.info));
      return { ...slot, info: converted.at(-1) as tf.TensorInfo };
    });
    const bindings = [...Object.values(writes), ...reads].map((slot) => this.#binding(slot));
    for (const { info, more = [] } of Object.values(writes))
      for (const { dataId } of [info, ...more]) this.#noteWrite(dataId);
    const group = this.#group(compiled, [...bindings, { buffer: this.#uniform(dispatch) }]);
    const { device } = this.backend;
    const parts = partsOf(this.backend);
    this.backend.ensureCommandEncoderReady();
    const pass = (parts.computePassEncoder ??= (parts.commandEncoder as GPUCommandEncoder).beginComputePass());
    pass.setPipeline(compiled.pipeline);
    pass.setBindGroup(0, group);
    const count = program.variant === 'team' ? items : Math.ceil(items / groupSize);
    const across = Math.min(count, device.limits.maxComputeWorkgroupsPerDimension);
    pass.dispatchWorkgroups(across, Math.ceil(count / across), 1);
    parts.dispatchCountInPass++;
    tally.dispatches++;
    this.release(...converted);
    if (tf.env().getNumber('WEBGPU_DEFERRED_SUBMIT_BATCH_SIZE') <= parts.dispatchCountInPass) {
      this.backend.endComputePassEncoder();
      this.backend.submitQueue();
    }
  }

  /**
   * Whether a tensor that is bound as floats contains integers. TensorFlow.js casts integers and booleans to float32 by
   * changing only the type, and leaves the buffer as it is.
   */
  #holdsIntegers({ type, info }: Slot): boolean {
    return type !== 'i32' && type !== 'u32' && this.backend.tensorMap.get(info.dataId).dtype !== 'float32';
  }

  #toFloats(info: tf.TensorInfo): tf.TensorInfo {
    const floats = this.allocate(info.shape);
    this.run({
      program: { key: 'floats', variant: 'solo', text: () => ({ body: 'y[item] = f32(x[item]);' }) },
      writes: { y: { type: 'f32', info: floats } },
      reads: { x: { type: 'i32', info } },
      items: tf.util.sizeFromShape(info.shape),
    });
    return floats;
  }

  #binding({ info, more = [], stretch }: Slot): GPUBufferBinding {
    if (tf.util.sizeFromShape(info.shape) === 0) return { buffer: this.#nothing };
    const places = [info, ...more].map((one) => {
      this.backend.uploadToGPU(one.dataId);
      partsOf(this.backend).commandQueueOwnedIds.add(one.dataId);
      return partsOf(this.backend).tensorToBinding(one);
    });
    const [first] = places as [GPUBufferBinding];
    if (stretch) return { buffer: first.buffer, offset: (first.offset ?? 0) + stretch.offset, size: stretch.size };
    if (places.length === 1) return first;
    const start = first.offset as number;
    return {
      ...first,
      size: Math.max(...places.map(({ offset, size }) => (offset as number) + (size as number))) - start,
    };
  }

  /** Marks values that were read from a tensor earlier as invalid. */
  #noteWrite(dataId: tf.DataId): void {
    const { noteWrite } = this.backend as Partial<ReplayBackend>;
    if (noteWrite) noteWrite.call(this.backend, dataId);
    else this.backend.tensorMap.get(dataId).values = null as never;
  }

  #group({ layout, groups }: Compiled, bindings: GPUBufferBinding[]): GPUBindGroup {
    const key = bindings
      .map(({ buffer, offset, size }) => `${this.#nameOf(buffer)} ${offset ?? 0} ${size ?? ''}`)
      .join(';');
    const known = groups.get(key);
    if (known) return known;
    const group = this.backend.device.createBindGroup({
      layout,
      entries: bindings.map((resource, binding) => ({ binding, resource })),
    });
    // During a recording, the bind group is not stored in `groups`, because only the recording will use it again.
    if ((this.backend as Partial<ReplayBackend>).isRecording) return group;
    if (groups.size === keptGroups) groups.clear();
    groups.set(key, group);
    return group;
  }

  #nameOf(buffer: GPUBuffer): number {
    const known = this.#names.get(buffer);
    if (known !== undefined) return known;
    this.#names.set(buffer, ++this.#named);
    return this.#named;
  }

  /** The uniform buffer with these sizes and constants, which is stored for later calls. */
  #uniform({ items, sizes = {}, constants = {} }: Dispatch): GPUBuffer {
    const [whole, real] = [[items, ...Object.values(sizes)], Object.values(constants)];
    const key = `${whole.join()};${real.join()}`;
    const known = this.#uniforms.get(key);
    if (known) return known;
    const { device } = this.backend;
    const size = Math.ceil((whole.length + real.length) / 4) * 16;
    const usage = GPUBufferUsage.UNIFORM;
    const buffer = device.createBuffer({ size, usage, mappedAtCreation: true });
    const bytes = buffer.getMappedRange();
    new Uint32Array(bytes).set(whole);
    new Float32Array(bytes).set(real, whole.length);
    buffer.unmap();
    this.#uniforms.set(key, buffer);
    return buffer;
  }

  #compile(dispatch: Dispatch): Compiled {
    const { program, writes, reads } = dispatch;
    const key = `${program.key} ${program.variant}`;
    const known = this.#compiled.get(key);
    if (known) return known;
    const { device } = this.backend;
    const types: GPUBufferBindingType[] = [
      ...Object.keys(writes).map(() => 'storage' as const),
      ...Object.keys(reads).map(() => 'read-only-storage' as const),
      'uniform',
    ];
    const layout = device.createBindGroupLayout({
      entries: types.map((type, binding) => ({ binding, visibility: GPUShaderStage.COMPUTE, buffer: { type } })),
    });
    const module = device.createShaderModule({ code: shaderText(dispatch), label: key });
    const pipeline = device.createComputePipeline({
      label: key,
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: { module, entryPoint: 'main' },
    });
    const compiled = { pipeline, layout, groups: new Map<string, GPUBindGroup>() };
    this.#compiled.set(key, compiled);
    return compiled;
  }
}
