// The parts of a GPU program: its source, its bindings, and the number of work items.
import type * as tf from '@tensorflow/tfjs-core';

/** The number of threads in a workgroup. The threads are also called lanes. */
export const groupSize = 64;

/**
 * How a program divides its work items: each item is processed by one thread (`solo`), or by one workgroup (`team`),
 * whose threads combine their results.
 */
export type Variant = 'solo' | 'team';

export type ElementType = 'f32' | 'vec4<f32>' | 'i32' | 'u32';

/** A tensor bound to a program. */
export interface Slot {
  type: ElementType;
  info: tf.TensorInfo;
  /**
   * More views of the same buffer, which directly follow this one. All of these views are bound together as one range.
   */
  more?: readonly tf.TensorInfo[];
  /**
   * The part of the tensor's bytes that is bound, if the tensor is too large to be bound as a whole; `offset` is a
   * multiple of 256.
   */
  stretch?: { offset: number; size: number };
}

export interface Text {
  /** WGSL outside of the main function, such as functions and constants. */
  functions?: string;
  /**
   * WGSL that processes one item. This code can use `item`, `lane`, `lanes`, `block`, the bound arrays by their names,
   * and `sizes`.
   */
  body: string;
}

export interface Program {
  /** Text that identifies the program, including all constants that are fixed in its source. */
  key: string;
  variant: Variant;
  /** Returns the source. This function is called once for each combination of key and variant. */
  text: () => Text;
}

export interface Dispatch {
  program: Program;
  writes: Record<string, Slot>;
  reads: Record<string, Slot>;
  /**
   * Integers that the source can read as u32 in `sizes`, which also contains the number of work items as `sizes.items`.
   */
  sizes?: Record<string, number>;
  /** Numbers that the source can read as f32; they must not change from step to step. */
  constants?: Record<string, number>;
  items: number;
}

/**
 * WGSL of `total(x, lane)` and, for f32, of `most(x, lane)`: they return to each lane the sum and the maximum over all
 * lanes of a workgroup. If one thread processes an item, both return their argument, and the source contains no
 * barrier.
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

/**
 * The whole source of a program, in which `body` processes one item. The bindings are in the order of the slots, and
 * the sizes come last.
 */
export function shaderText({ program, writes, reads, sizes = {}, constants = {} }: Dispatch): string {
  const { functions = '', body } = program.text();
  const isTeam = program.variant === 'team';
  const slots = [
    ...Object.entries(writes).map(([name, { type }]) => ({ name, type, access: 'read_write' })),
    ...Object.entries(reads).map(([name, { type }]) => ({ name, type, access: 'read' })),
  ];
  const fields = [
    ...['items', ...Object.keys(sizes)].map((name) => `${name}: u32`),
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
${functions}
@compute @workgroup_size(${groupSize})
fn main(@builtin(workgroup_id) groupAt: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) thread: u32) {
  let block = groupAt.y * groups.x + groupAt.x;
  let item = ${isTeam ? 'block' : `block * ${groupSize}u + thread`};
  let lane = ${isTeam ? 'thread' : '0u'};
  if (item >= sizes.items) { return; }
${body}
}`;
}
