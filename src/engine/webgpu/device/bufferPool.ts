// Device buffers, recycled by exact size and usage. The interface is that of the stock backend's buffer manager. One
// pool serves ordinary runs. Each capture has its own pool, with this pool as its parent, and keeps its buffers,
// because a replay writes into them again in the same order.

/** The pool to which a buffer returns, no matter which pool is asked to release it. */
const owners = new WeakMap<GPUBuffer, BufferPool>();

export class BufferPool {
  /** Bytes of buffers in use, including those of captures. */
  numBytesUsed = 0;
  /** Bytes of all buffers, including those waiting for reuse. */
  numBytesAllocated = 0;
  peakBytes = 0;
  readonly #device: GPUDevice;
  readonly #parent: BufferPool | null;
  readonly #free = new Map<number, GPUBuffer[]>();
  readonly #used = new Set<GPUBuffer>();
  /** Buffers whose contents must be kept; they are not reused after they are released. */
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

  /** Takes a buffer back if it belongs to this pool, otherwise passes it to the pool that owns it. */
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

  /** A new buffer, which contains zeros and is never recycled. */
  acquireZeros(size: number, usage: GPUBufferUsageFlags): GPUBuffer {
    const buffer = this.#handOut(this.#create({ size, usage }));
    this.#constants.add(buffer);
    return buffer;
  }

  /**
   * Moves all buffers to the parent, whether or not they are in use. Commands that use them must have been submitted.
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

  /** Destroys all buffers, except that those still in use are moved to the parent if there is one. */
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
    // A capture keeps every buffer that it has used, so its parent counts them as used as long as the capture exists.
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
