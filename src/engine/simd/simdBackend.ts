// A TensorFlow.js backend for the CPU whose float32 and int32 tensors are views into one WebAssembly memory. It is the
// stock cpu backend with different storage. Every stock kernel works on it, and the project's own kernels access their
// operands by address. Two rules keep the memory private. An array created outside the memory is copied in once, when
// one of these kernels first requests its address. Every read returns a copy, so no other code has a view of the
// memory.
import { MathBackendCPU } from '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { Heap } from './heap.ts';
import type { WasmExports } from './wasmExports.ts';

/** The module keeps its constants below this address. */
const staticBytes = 65536;

type DataId = tf.DataId;
type Values = tf.backend_util.BackendValues;

export class SimdBackend extends MathBackendCPU {
  readonly wasm: WasmExports;
  /** Whether a product and the following sum are compiled to one instruction. */
  readonly isFused: boolean;
  readonly heap: Heap;
  readonly #buffer: ArrayBuffer;
  /**
   * Tensors allocated by the running kernel. Undefined while no kernel runs, because the list would otherwise grow
   * without bound.
   */
  #fresh: DataId[] | undefined;

  /** Wraps a memory of fixed size, because growing would detach every view. */
  constructor(memory: WebAssembly.Memory, wasm: WasmExports, isFused: boolean) {
    super();
    this.wasm = wasm;
    this.isFused = isFused;
    this.#buffer = memory.buffer;
    // Kernels may read (and ignore) up to three numbers after a row, even after the very last row.
    this.heap = new Heap(staticBytes, memory.buffer.byteLength - 16);
    // This flag is cleared, because the first write would otherwise print the stock advice to install a native package.
    (this as unknown as { firstUse: boolean }).firstUse = false;
  }

  /**
   * Allocates a new tensor in the memory, with undefined contents; the kernel that requests it must write every
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
   * Allocates `floats` floats for data that a kernel passes to its own gradient. The data appear as a tensor of one
   * element, because TensorFlow.js creates a zero gradient of the size of every unused output.
   */
  allocateOpaque(floats: number): { info: tf.TensorInfo; address: number } {
    const address = this.heap.allocate(floats * 4);
    const view = new Float32Array(this.#buffer, address, 1);
    return {
      info: { dataId: this.#allocated(super.write(view, [], 'float32')), shape: [], dtype: 'float32' },
      address,
    };
  }

  /** The address of a float32 or int32 tensor; its values are copied into the memory if they are outside. */
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

  /** A view of the tensor's numbers in the memory; it must not be used after the kernel that requests it has ended. */
  view<T extends Float32Array | Int32Array>(info: tf.TensorInfo): T {
    this.address(info);
    return this.data.get(info.dataId).values as T;
  }

  /**
   * The result of a kernel that writes in place. It is the tensor's own record with its reference count increased or,
   * if something else still reads the numbers, the record of a copy. In the usual case it is the tensor's own record,
   * which costs nothing.
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
   * The tensor's own record with its reference count increased, even if something else reads the tensor. It is used for
   * tensors that are meant to be written in place.
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

  /** Runs a kernel. If it throws, the tensors that it allocated have no owner, so they are freed. */
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

  // Stock kernels may return a part of an input's array as their output (slice does). A view of the memory would then
  // be used after its block is freed, so the part is copied out of the memory.
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
