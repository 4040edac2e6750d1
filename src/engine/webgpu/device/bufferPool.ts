// Device buffers, which are reused for requests of exactly the same size and usage. The interface is that of the buffer
// manager in TensorFlow.js. One pool is used for ordinary runs. Each recording has a pool of its own, whose parent is
// the pool for ordinary runs. The pool of a recording keeps its buffers, because a replay writes into them again in the
// same order.

/**
 * For each buffer, the pool to which it belongs. A released buffer returns to this pool, whichever pool is asked to
 * release it.
 */
const owners = new WeakMap<GPUBuffer, BufferPool>();

export class BufferPool {
  /** The size in bytes of all buffers in use, including those of recordings. */
  numBytesUsed = 0;
  /** The size in bytes of all buffers, including those that wait to be used again. */
  numBytesAllocated = 0;
  peakBytes = 0;
  readonly #device: GPUDevice;
  readonly #parent: BufferPool | null;
  readonly #free = new Map<number, GPUBuffer[]>();
  readonly #used = new Set<GPUBuffer>();
  /** Buffers whose content must be kept, so they are not used again after they are released. */
  readonly #constants = new Set<GPUBuffer>();

  /** A pool with a parent keeps its own storage buffers and requests all other buffers from the parent. */
  constructor(device: GPUDevice, parent: BufferPool | null = null) {
    this.#device = device;
    this.#parent = parent;
  }

  acquireBuffer(size: number, usage: GPUBufferUsageFlags, mappedAtCreation = false, reuse = true): GPUBuffer {
    if (this.#parent && !(usage & GPUBufferUsage.STORAGE))
      return this.#parent.acquireBuffer(size, usage, mappedAtCreation, reuse);
    const known = reuse ? this.#free.get(keyOf(size, usage))?.pop() : undefined;
    return this.#handOut(known ?? this.#create({ size, usage, mappedAtCreation }));
  }

  /** Takes a buffer back if it belongs to this pool, otherwise passes it to the pool to which it belongs. */
  releaseBuffer(buffer: GPUBuffer, reuse = true): void {
    const owner = owners.get(buffer);
    if (owner !== this) {
      owner?.releaseBuffer(buffer, reuse);
      return;
    }
    if (!this.#used.delete(buffer)) return;
    this.#count(-buffer.size, 0);
    if (!reuse) this.#destroy(buffer);
    else if (!this.#constants.has(buffer)) this.#shelve(buffer);
  }

  /** A new buffer that contains zeros and is never used for anything else. */
  acquireZeros(size: number, usage: GPUBufferUsageFlags): GPUBuffer {
    const buffer = this.#handOut(this.#create({ size, usage }));
    this.#constants.add(buffer);
    return buffer;
  }

  /**
   * Moves all buffers to the parent, whether or not they are in use. All commands that use them must have been
   * submitted before.
   */
  surrender(): void {
    for (const buffer of [...this.#used]) this.#surrenderOne(buffer);
    for (const buffers of this.#free.values()) for (const buffer of buffers) this.#moveToParent(buffer).#shelve(buffer);
    for (const buffer of this.#constants) this.#moveToParent(buffer).#shelve(buffer);
    this.#free.clear();
    this.#constants.clear();
  }

  #surrenderOne(buffer: GPUBuffer): void {
    this.#used.delete(buffer);
    this.#constants.delete(buffer);
    this.numBytesUsed -= buffer.size;
    this.#moveToParent(buffer).#handOut(buffer);
  }

  /** Destroys all buffers. If there is a parent, buffers that are still in use are moved to it instead. */
  dispose(): void {
    if (this.#parent) for (const buffer of [...this.#used]) this.#surrenderOne(buffer);
    for (const buffer of [...this.#used, ...this.#constants, ...[...this.#free.values()].flat()]) this.#destroy(buffer);
    this.#used.clear();
    this.#free.clear();
    this.#constants.clear();
    this.numBytesUsed = 0;
  }

  restartPeak(): void {
    this.peakBytes = this.numBytesUsed;
  }

  #create(descriptor: GPUBufferDescriptor): GPUBuffer {
    const buffer = this.#device.createBuffer(descriptor);
    owners.set(buffer, this);
    this.#count(0, buffer.size);
    // A recording keeps every buffer that it has used, so the parent counts them as used for as long as the recording
    // exists.
    if (this.#parent) this.#parent.#count(buffer.size, buffer.size);
    return buffer;
  }

  #destroy(buffer: GPUBuffer): void {
    buffer.destroy();
    owners.delete(buffer);
    this.#count(0, -buffer.size);
    if (this.#parent) this.#parent.#count(-buffer.size, -buffer.size);
  }

  #handOut(buffer: GPUBuffer): GPUBuffer {
    this.#used.add(buffer);
    this.#count(buffer.size, 0);
    return buffer;
  }

  #shelve(buffer: GPUBuffer): void {
    const key = keyOf(buffer.size, buffer.usage);
    const list = this.#free.get(key);
    if (list) list.push(buffer);
    else this.#free.set(key, [buffer]);
  }

  #moveToParent(buffer: GPUBuffer): BufferPool {
    const parent = this.#parent as BufferPool;
    owners.set(buffer, parent);
    this.#count(0, -buffer.size);
    parent.#count(-buffer.size, 0);
    return parent;
  }

  #count(used: number, allocated: number): void {
    this.numBytesUsed += used;
    this.numBytesAllocated += allocated;
    this.peakBytes = Math.max(this.peakBytes, this.numBytesUsed);
  }
}

function keyOf(size: number, usage: GPUBufferUsageFlags): number {
  return size * 1024 + usage;
}
