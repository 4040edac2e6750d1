// A TensorFlow.js backend for the CPU whose float32 and int32 tensors are views into one WebAssembly memory. It is the
// stock cpu backend with different storage: every stock kernel works on it, and our kernels find their operands by
// address. Two rules keep the memory private: an array that comes from elsewhere is adopted (copied in once) when one
// of our kernels first requests its address, and every read copies, so that nothing outside ever holds a view of the
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
  /** Whether a product and the sum behind it are compiled to one instruction. */
  readonly isFused: boolean;
  readonly heap: Heap;
  readonly #buffer: ArrayBuffer;
  /** Tensors allocated by the running kernel; undefined while no kernel runs, or the list would grow without bound. */
  #fresh: DataId[] | undefined;

  /** Wraps a memory that never grows: growing would detach every view. */
  constructor(memory: WebAssembly.Memory, wasm: WasmExports, isFused: boolean) {
    super();
    this.wasm = wasm;
    this.isFused = isFused;
    this.#buffer = memory.buffer;
    // Kernels may read up to three numbers behind a row (and drop them), even behind the very last row.
    this.heap = new Heap(staticBytes, memory.buffer.byteLength - 16);
    // Otherwise the first write prints the stock advice to install a native package.
    (this as unknown as { firstUse: boolean }).firstUse = false;
  }

  /** A new tensor inside the memory, contents undefined; the kernel that requests it must write every element. */
  allocate(shape: number[], dtype: 'float32' | 'int32' = 'float32'): { info: tf.TensorInfo; address: number } {
    const size = tf.util.sizeFromShape(shape);
    const address = this.heap.allocate(size * 4);
    const view =
      dtype === 'float32' ? new Float32Array(this.#buffer, address, size) : new Int32Array(this.#buffer, address, size);
    return { info: { dataId: this.#allocated(super.write(view, shape, dtype)), shape, dtype }, address };
  }

  /**
   * Allocates `floats` floats presented as a tensor of one element, for data that a kernel passes to its own gradient:
   * TensorFlow.js creates a zero gradient of the size of every unused output.
   */
  allocateOpaque(floats: number): { info: tf.TensorInfo; address: number } {
    const address = this.heap.allocate(floats * 4);
    const view = new Float32Array(this.#buffer, address, 1);
    return {
      info: { dataId: this.#allocated(super.write(view, [], 'float32')), shape: [], dtype: 'float32' },
      address,
    };
  }

  /** The address of a float32 or int32 tensor; adopts its values if they lie outside. */
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

  /** The numbers themselves, inside the memory: they must not be held after the kernel that requests them. */
  view<T extends Float32Array | Int32Array>(info: tf.TensorInfo): T {
    this.address(info);
    return this.data.get(info.dataId).values as T;
  }

  /**
   * The result of a kernel that writes in place: the record itself with its reference count increased, or a copy's
   * record if the numbers have another reader. The former costs nothing and is the usual case.
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
   * The record itself, with its reference count increased, even if it has other readers: for tensors that are intended
   * to be written in place.
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

  // Stock kernels may return a part of an input's array as their output (slice does): inside the memory such a view
  // would outlive its block, so it is copied out.
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
