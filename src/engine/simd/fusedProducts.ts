// The kernels are compiled for plain SIMD, which every JavaScript engine supports. If the engine also supports relaxed
// SIMD, each multiplication and the addition after it become one instruction, a fused multiply-add, which rounds once
// instead of twice. The pairs of instructions are found in the module's bytes and replaced by the same number of bytes,
// so one file serves all engines. An engine always compiles the fused instruction in the same way, so identical runs
// give identical results.
import { nodeModule } from '../../base/nodeModule.ts';

/** The pattern that is replaced: `f32x4.mul`, `local.get` of the sum (with any index below 128), `f32x4.add`. */
const pair = [0xfd, 0xe6, 0x01, 0x20, -1, 0xfd, 0xe4, 0x01];
const nop = 0x01;
const localGet = 0x20;
/** `f32x4.relaxed_madd` */
const multiplyAdd = [0xfd, 0x85, 0x02];

/** A copy of a module's bytes. */
export function copiedBytes(source: BufferSource): Uint8Array<ArrayBuffer> {
  if (!ArrayBuffer.isView(source)) return new Uint8Array(source).slice();
  return new Uint8Array(source.buffer, source.byteOffset, source.byteLength).slice();
}

/** Replaces every such pair in a copy of a module's bytes. Also returns the number of pairs. */
export function fuseProducts(source: BufferSource): { bytes: Uint8Array<ArrayBuffer>; count: number } {
  const bytes = copiedBytes(source);
  let count = 0;
  for (let at = bytes.indexOf(0xfd); at >= 0; at = bytes.indexOf(0xfd, at + 1)) {
    const sum = bytes[at + 4] ?? 255;
    if (sum > 127 || pair.some((byte, i) => byte >= 0 && bytes[at + i] !== byte)) continue;
    bytes.set([nop, nop, nop, localGet, sum, ...multiplyAdd], at);
    count++;
  }
  return { bytes, count };
}

/** The module with fused multiply-adds if the JavaScript engine accepts it, otherwise the original module. */
export function fastestModule(source: BufferSource): { bytes: BufferSource; isFused: boolean } {
  const { bytes } = fuseProducts(source);
  const isFused = isTaken(bytes);
  return { bytes: isFused ? bytes : source, isFused };
}

/** Whether the JavaScript engine accepts a module that uses relaxed SIMD. */
function isTaken(bytes: BufferSource): boolean {
  if (WebAssembly.validate(bytes)) return true;
  // Node 20 supports relaxed SIMD only if a flag is set. The flag then applies to everything that this process
  // compiles, including code for its threads.
  const v8 = nodeModule<{ setFlagsFromString: (flags: string) => void }>('node:v8');
  v8?.setFlagsFromString('--experimental-wasm-relaxed-simd');
  return v8 !== undefined && WebAssembly.validate(bytes);
}
