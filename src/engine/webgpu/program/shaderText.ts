// The whole text of a program around the body of one item: bindings in the order of the slots, sizes last.
import { type Dispatch, groupSize } from './program.ts';

export function shaderText({ program, writes, reads, sizes, constants = {} }: Dispatch): string {
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
