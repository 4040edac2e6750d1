// A TensorFlow.js backend for the CPU whose float32 and int32 tensors are in one WebAssembly memory. It extends the cpu
// backend of TensorFlow.js by this kind of storage, so every kernel of that backend still works, and the project's own
// kernels access their operands by address. Two rules keep the memory private. An array created outside the memory is
// copied into it when one of the project's own kernels first needs its address. Every read returns a copy, so no other
// code has a view of the memory.
import { MathBackendCPU } from '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { Heap } from './heap.ts';
import type { WasmExports } from './wasmExports.ts';

/** The compiled module keeps its constants below this address. */
const staticBytes = 65536;

type DataId = tf.DataId;
type Values = tf.backend_util.BackendValues;

export class SimdBackend extends MathBackendCPU {
  readonly wasm: WasmExports;
  /** Whether multiplication and addition are compiled to one instruction. */
  readonly isFused: boolean;
  readonly heap: Heap;
  readonly #buffer: ArrayBuffer;
  /**
   * Tensors that the running kernel has allocated. Undefined while no kernel runs, because the list would otherwise
   * grow without end.
   */
  #fresh: DataId[] | undefined;

  /** The memory must have a fixed size, because growing it would make all views of it invalid. */
  constructor(memory: WebAssembly.Memory, wasm: WasmExports, isFused: boolean) {
    super();
    this.wasm = wasm;
    this.isFused = isFused;
    this.#buffer = memory.buffer;
    // Kernels may read (and ignore) up to three numbers after the end of an array, so a few bytes at the end of the
    // memory are not used.
    this.heap = new Heap(staticBytes, memory.buffer.byteLength - 16);
    // If this flag were set, the first write would print the advice of TensorFlow.js to install a native package.
    (this as unknown as { firstUse: boolean }).firstUse = false;
  }

  /**
   * Allocates a new tensor in the memory. Its content is undefined, so the kernel that requests it must write every
   * element.
   */
  allocate(shape: number[], dtype: 'float32' | 'int32' = 'float32'): { info: tf.TensorInfo; address: number } {
    const size = tf.util.sizeFromShape(shape);
    const address = this.heap.allocate(size * 4);
    const view =
      dtype === 'float32' ? new Float32Array(this.#buffer, address, size) : new Int32Array(this.#buffer, address, size);
    return { info: { dataId: this.#allocated(super.write(view, shape, dtype)), shape, dtype }, address };
  }

  /**
   * Allocates `floats` floats for data that a kernel passes to its own gradient. For TensorFlow.js, the data are a
   * tensor of one element, because it creates a gradient of zeros with the size of every unused output.
   */
  allocateOpaque(floats: number): { info: tf.TensorInfo; address: number } {
    const address = this.heap.allocate(floats * 4);
    const view = new Float32Array(this.#buffer, address, 1);
    return {
      info: { dataId: this.#allocated(super.write(view, [], 'float32')), shape: [], dtype: 'float32' },
      address,
    };
  }

  /** The address of a float32 or int32 tensor. If its values are outside the memory, they are first copied into it. */
  address({ dataId, dtype }: tf.TensorInfo): number {
    const entry = this.data.get(dataId);
    const values = entry.values as tf.TypedArray;
    if (values.buffer === this.#buffer) return values.byteOffset;
    const address = this.heap.allocate(values.length * 4);
    const View = dtype === 'int32' ? Int32Array : Float32Array;
    const view = new View(this.#buffer, address, values.length);
    view.set(values);
    entry.values = view;
    return address;
  }

  /**
   * A view of a tensor's numbers in the memory. The view must not be used after the kernel that requests it has ended.
   */
  view<T extends Float32Array | Int32Array>(info: tf.TensorInfo): T {
    this.address(info);
    return this.data.get(info.dataId).values as T;
  }

  /**
   * The tensor into which a kernel writes its result in place. Usually it is the same tensor with its reference count
   * increased, which costs nothing. If something else refers to the numbers, it is a copy.
   */
  writable(info: tf.TensorInfo): { info: tf.TensorInfo; address: number } {
    const { dataId, shape, dtype } = info;
    if (this.refCount(dataId) > 1) {
      const copy = this.allocate(shape, dtype === 'int32' ? dtype : 'float32');
      this.view(copy.info).set(this.view(info));
      return copy;
    }
    return this.rewritten(info);
  }

  /**
   * The same tensor with its reference count increased, even if something else refers to its numbers. This is used for
   * tensors that are meant to be changed in place.
   */
  rewritten(info: tf.TensorInfo): { info: tf.TensorInfo; address: number } {
    const { dataId, shape, dtype } = info;
    const address = this.address(info);
    this.incRef(dataId);
    return { info: { dataId, shape, dtype }, address };
  }

  /** Runs `use` with the address of a temporary block of `floats` floats. */
  withScratch(floats: number, use: (address: number) => void): void {
    const address = this.heap.allocate(floats * 4);
    try {
      use(address);
    } finally {
      this.heap.free(address);
    }
  }

  /**
   * Runs a kernel. If the kernel throws an error, the tensors that it has allocated are freed, because no other code
   * refers to them.
   */
  runKernel<T>(kernel: () => T): T {
    const outer = this.#fresh;
    const own: DataId[] = (this.#fresh = []);
    try {
      const found = kernel();
      outer?.push(...own);
      return found;
    } catch (error) {
      for (const dataId of own) this.disposeData(dataId, true);
      throw error;
    } finally {
      this.#fresh = outer;
    }
  }

  // Kernels of the cpu backend may return a part of an input's array as their output (slice does). Such a part would be
  // a view of a block that may be freed while the output is still in use, so it is copied out of the memory.
  override write(values: Values, shape: number[], dtype: tf.DataType): DataId {
    return super.write(this.#copyOut(values), shape, dtype);
  }

  override readSync(dataId: DataId): Values {
    return this.#copyOut(super.readSync(dataId));
  }

  override disposeData(dataId: DataId, force = false): boolean {
    if (!this.data.has(dataId)) return true;
    const values = this.data.get(dataId).values as Values | undefined;
    const isReleased = super.disposeData(dataId, force);
    if (isReleased && values && this.#isInside(values)) this.heap.free(values.byteOffset);
    return isReleased;
  }

  #allocated(dataId: DataId): DataId {
    this.#fresh?.push(dataId);
    return dataId;
  }

  #isInside(values: Values): values is tf.TypedArray {
    return ArrayBuffer.isView(values) && values.buffer === this.#buffer;
  }

  #copyOut(values: Values): Values {
    return this.#isInside(values) ? values.slice() : values;
  }
}
