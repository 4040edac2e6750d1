// Records dispatches of our own programs into the command stream of TensorFlow.js's WebGPU backend.
// Beside `runWebGPUProgram` it allows several outputs, declares its bindings (so that an unused one is not an
// invalid program), keeps uniforms, which hold only sizes and constants, from call to call, and writes short texts,
// which software adapters compile in a tenth of the time. Buffers, their recycling and the submits stay the backend's.
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import * as tf from '@tensorflow/tfjs-core';

/** Threads of a workgroup, and lanes of a team. */
export const groupSize = 64;

/** How a program divides its items: one thread for each, or one workgroup ("team") with shared reductions. */
export type Variant = 'solo' | 'team';

export type ElementType = 'f32' | 'vec4<f32>' | 'i32';

/** A tensor bound to a program. */
export interface Slot {
  type: ElementType;
  info: tf.TensorInfo;
}

export interface Program {
  /** Name and everything that is baked into the text. */
  key: string;
  variant: Variant;
  /** WGSL at module scope. */
  functions?: string;
  /** WGSL of one item; sees `item`, `lane`, `lanes`, `block`, the slots by name and `sizes`. */
  body: string;
}

export interface Dispatch {
  program: Program;
  writes: Record<string, Slot>;
  reads: Record<string, Slot>;
  /** Whole numbers, u32 in the text. */
  sizes: Record<string, number>;
  /** Constants, f32 in the text; nothing that changes from step to step. */
  constants?: Record<string, number>;
  items: number;
}

/** What a recorder touches of the backend beyond its public types. */
interface BackendParts {
  commandEncoder: GPUCommandEncoder;
  computePassEncoder: GPUComputePassEncoder | null;
  commandQueueOwnedIds: WeakSet<object>;
  dispatchCountInPass: number;
}

interface Compiled {
  pipeline: GPUComputePipeline;
  layout: GPUBindGroupLayout;
}

export class Recorder {
  readonly backend: WebGPUBackend;
  readonly variant: Variant;
  readonly #compiled = new Map<string, Compiled>();
  readonly #uniforms = new Map<string, GPUBuffer>();
  /** Stands in for a tensor without elements, which has no buffer. */
  readonly #nothing: GPUBuffer;

  constructor(backend: WebGPUBackend, variant: Variant) {
    this.backend = backend;
    this.variant = variant;
    this.#nothing = backend.device.createBuffer({ size: 16, usage: GPUBufferUsage.STORAGE });
  }

  /** A new tensor record with undefined contents. */
  allocate(shape: number[], dtype: 'float32' | 'int32' = 'float32'): tf.TensorInfo {
    const info = this.backend.makeTensorInfo(shape, dtype);
    if (tf.util.sizeFromShape(shape) === 0)
      this.backend.tensorMap.get(info.dataId).values = tf.util.getTypedArrayFromDType(dtype, 0);
    return info;
  }

  /** Frees records that no caller has seen, once the commands that use them are submitted. */
  release(...infos: tf.TensorInfo[]): void {
    for (const { dataId } of infos) this.backend.disposeData(dataId);
  }

  /** Adds one dispatch to the open compute pass. Written tensors forget what was read of them before. */
  run(dispatch: Dispatch): void {
    if (dispatch.items === 0) return;
    const { program, writes, items } = dispatch;
    const { pipeline, layout } = this.#compile(dispatch);
    const converted: tf.TensorInfo[] = [];
    const reads = Object.values(dispatch.reads).map((slot) => {
      if (!this.#holdsIntegers(slot)) return slot.info;
      converted.push(this.#toFloats(slot.info));
      return converted.at(-1) as tf.TensorInfo;
    });
    const buffers = [...Object.values(writes).map(({ info }) => info), ...reads].map((info) => this.#buffer(info));
    for (const { info } of Object.values(writes)) this.backend.tensorMap.get(info.dataId).values = null as never;
    const { device } = this.backend;
    const group = device.createBindGroup({
      layout,
      entries: [...buffers, this.#uniform(dispatch)].map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
    const parts = this.backend as unknown as BackendParts;
    this.backend.ensureCommandEncoderReady();
    const pass = (parts.computePassEncoder ??= parts.commandEncoder.beginComputePass());
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    const count = program.variant === 'team' ? items : Math.ceil(items / groupSize);
    const across = Math.min(count, device.limits.maxComputeWorkgroupsPerDimension);
    pass.dispatchWorkgroups(across, Math.ceil(count / across), 1);
    parts.dispatchCountInPass++;
    this.release(...converted);
    if (tf.env().getNumber('WEBGPU_DEFERRED_SUBMIT_BATCH_SIZE') <= parts.dispatchCountInPass) {
      this.backend.endComputePassEncoder();
      this.backend.submitQueue();
    }
  }

  /** TF.js casts integers and booleans to float32 by renaming them: the buffer stays as it was. */
  #holdsIntegers({ type, info }: Slot): boolean {
    return type !== 'i32' && this.backend.tensorMap.get(info.dataId).dtype !== 'float32';
  }

  #toFloats(info: tf.TensorInfo): tf.TensorInfo {
    const floats = this.allocate(info.shape);
    const count = tf.util.sizeFromShape(info.shape);
    this.run({
      program: { key: 'floats', variant: 'solo', body: 'if (item < sizes.count) { y[item] = f32(x[item]); }' },
      writes: { y: { type: 'f32', info: floats } },
      reads: { x: { type: 'i32', info } },
      sizes: { count },
      items: count,
    });
    return floats;
  }

  #buffer({ dataId, shape }: tf.TensorInfo): GPUBuffer {
    if (tf.util.sizeFromShape(shape) === 0) return this.#nothing;
    this.backend.uploadToGPU(dataId);
    (this.backend as unknown as BackendParts).commandQueueOwnedIds.add(dataId);
    return this.backend.tensorMap.get(dataId).resource as GPUBuffer;
  }

  /** The kept buffer with these sizes and constants. */
  #uniform({ sizes, constants = {} }: Dispatch): GPUBuffer {
    const [whole, real] = [Object.values(sizes), Object.values(constants)];
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
    const compiled = { pipeline, layout };
    this.#compiled.set(key, compiled);
    return compiled;
  }
}

function shaderText({ program, writes, reads, sizes, constants = {} }: Dispatch): string {
  const isTeam = program.variant === 'team';
  const slots = [
    ...Object.entries(writes).map(([name, { type }]) => ({ name, type, access: 'read_write' })),
    ...Object.entries(reads).map(([name, { type }]) => ({ name, type, access: 'read' })),
  ];
  const fields = [
    ...Object.keys(sizes).map((name) => `${name}: u32`),
    ...Object.keys(constants).map((name) => `${name}: f32`),
  ];
  return `
struct Sizes { ${fields.join(', ')} }
${slots
  .map(
    ({ name, type, access }, i) => `@group(0) @binding(${String(i)}) var<storage, ${access}> ${name}: array<${type}>;`,
  )
  .join('\n')}
@group(0) @binding(${String(slots.length)}) var<uniform> sizes: Sizes;
const lanes = ${isTeam ? groupSize : 1}u;
${program.functions ?? ''}
@compute @workgroup_size(${groupSize})
fn main(@builtin(workgroup_id) groupAt: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) thread: u32) {
  let block = groupAt.y * groups.x + groupAt.x;
  let item = ${isTeam ? 'block' : `block * ${groupSize}u + thread`};
  let lane = ${isTeam ? 'thread' : '0u'};
${program.body}
}`;
}

/**
 * WGSL of `total(x, lane)`, and for f32 of `most(x, lane)`: sum and maximum over the lanes of a team, known to each.
 * For a thread on its own both are the value itself, and no barrier is left in the text.
 */
export function reductions(variant: Variant, type: 'f32' | 'vec4<f32>' = 'f32'): string {
  const names = type === 'f32' ? { total: 'mine + other', most: 'max(mine, other)' } : { total: 'mine + other' };
  const one = ([name, join]: [string, string]) =>
    variant === 'solo'
      ? `fn ${name}(x: ${type}, lane: u32) -> ${type} { return x; }`
      : `fn ${name}(x: ${type}, lane: u32) -> ${type} {
  shared_${name}[lane] = x;
  workgroupBarrier();
  for (var width = ${groupSize / 2}u; width > 0u; width = width / 2u) {
    if (lane < width) {
      let mine = shared_${name}[lane];
      let other = shared_${name}[lane + width];
      shared_${name}[lane] = ${join};
    }
    workgroupBarrier();
  }
  let all = shared_${name}[0];
  workgroupBarrier();
  return all;
}
var<workgroup> shared_${name}: array<${type}, ${groupSize}>;`;
  return Object.entries(names).map(one).join('\n');
}
