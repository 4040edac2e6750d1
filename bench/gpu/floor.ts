// The limits of a device: how fast dispatches follow each other, and how fast bytes move. A step of n dispatches and a
// number of bytes cannot be faster than the larger of n launches and the bytes divided by the bandwidth.
import * as tf from '@tensorflow/tfjs-core';
import { median } from '../../src/base/stats.ts';

export interface DeviceSpeed {
  /** The time of one dispatch in a chain in which each reads the output of the previous one. */
  launchMicroseconds: number;
  /** Total of reads and writes. */
  bytesPerSecond: number;
}

const repeats = 7;
/** The wanted duration of one timing in milliseconds, if it needs no more than `most` repetitions. */
const wantedMs = 20;
const most = 2000;
/** Bytes to copy: several times the cache of a large GPU, fewer if copying is slow. */
const copiedBytes = { quick: 2 ** 29, slow: 2 ** 26 };
const quickMs = 10;

const chainText = `
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(1) fn main() { x[0] = x[0] + 1u; }`;

const copyText = `
@group(0) @binding(0) var<storage, read_write> copied: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> given: array<vec4<u32>>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) at: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let stride = groups.x * 256u;
  for (var i = at.x; i < arrayLength(&copied); i = i + stride) { copied[i] = given[i]; }
}`;

/** Measures the device of the current backend `webgpu`; undefined on others. Takes a second or two. */
export async function deviceSpeed(): Promise<DeviceSpeed | undefined> {
  if (tf.getBackend() !== 'webgpu') return undefined;
  const { device } = tf.backend() as unknown as { device: GPUDevice };
  const launchMs = await slope(await chainOf(device));
  const { maxStorageBufferBindingSize, maxBufferSize } = device.limits;
  const within = (bytes: number) =>
    Math.floor(Math.min(bytes, maxStorageBufferBindingSize, maxBufferSize) / 4096) * 4096;
  let bytes = within(copiedBytes.slow);
  let copy = await copyOf(device, bytes);
  await copy.take(1);
  if ((await copy.take(1)) < quickMs) {
    copy.free();
    bytes = within(copiedBytes.quick);
    copy = await copyOf(device, bytes);
  }
  const copyMs = await slope(copy);
  copy.free();
  return { launchMicroseconds: 1000 * launchMs, bytesPerSecond: (2 * bytes) / (copyMs / 1000) };
}

interface Timed {
  /** Milliseconds from submitting this many dispatches until they are finished. */
  take: (count: number) => Promise<number>;
  free: () => void;
}

/** Returns the milliseconds of one more dispatch, without the fixed cost of a submission. */
async function slope({ take }: Timed): Promise<number> {
  await take(1);
  let many = 2;
  while (many < most && (await take(many)) < wantedMs) many *= 2;
  const differences: number[] = [];
  for (let i = 0; i < repeats; i++) differences.push((await take(many)) - (await take(1)));
  return Math.max(median(differences), 1e-9) / (many - 1);
}

function chainOf(device: GPUDevice): Promise<Timed> {
  const buffer = device.createBuffer({ size: 16, usage: GPUBufferUsage.STORAGE });
  return timed(device, { text: chainText, buffers: [buffer], groups: 1 });
}

function copyOf(device: GPUDevice, bytes: number): Promise<Timed> {
  const buffers = [1, 2].map(() => device.createBuffer({ size: bytes, usage: GPUBufferUsage.STORAGE }));
  const groups = Math.min(bytes / 4096, device.limits.maxComputeWorkgroupsPerDimension);
  return timed(device, { text: copyText, buffers, groups });
}

interface Kernel {
  text: string;
  buffers: GPUBuffer[];
  groups: number;
}

async function timed(device: GPUDevice, { text, buffers, groups }: Kernel): Promise<Timed> {
  const pipeline = await device.createComputePipelineAsync({
    layout: 'auto',
    compute: { module: device.createShaderModule({ code: text }), entryPoint: 'main' },
  });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
  });
  const take = async (count: number) => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    for (let i = 0; i < count; i++) pass.dispatchWorkgroups(groups);
    pass.end();
    const commands = encoder.finish();
    const started = performance.now();
    device.queue.submit([commands]);
    await device.queue.onSubmittedWorkDone();
    return performance.now() - started;
  };
  const free = () => {
    for (const buffer of buffers) buffer.destroy();
  };
  return { take, free };
}
