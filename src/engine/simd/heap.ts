// Allocates blocks in the memory of the kernels. Each size class has a list of free blocks. The memory above a certain
// address, the edge, has never been used; the edge moves up as more blocks are needed. A training step requests the
// same sizes again and again, so nearly every request can use a block from a list. When the edge reaches the end of the
// memory, all neighbouring free blocks are merged once and can then be split again.
import { ConfigError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';

const alignment = 16;

export class Heap {
  readonly start: number;
  readonly end: number;
  #edge: number;
  #usedBytes = 0;
  #peakBytes = 0;
  /** Free addresses by block size. */
  readonly #free = new Map<number, number[]>();
  /** Size of every block in use. */
  readonly #sizes = new Map<number, number>();
  /** Free areas that result from merging, as [address, bytes], with the lowest address first. */
  #spans: [number, number][] = [];

  /** Manages the bytes from start to end. */
  constructor(start: number, end: number) {
    this.start = Math.ceil(start / alignment) * alignment;
    this.end = end;
    this.#edge = this.start;
  }

  /** The size in bytes of all blocks in use, each rounded up to its size class. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** The maximum of `usedBytes` since `restartPeak`. */
  get peakBytes(): number {
    return this.#peakBytes;
  }

  restartPeak(): void {
    this.#peakBytes = this.#usedBytes;
  }

  /**
   * Reserves a block, whose content is undefined.
   * @returns an address that is a multiple of 16
   * @throws ConfigError if not enough memory is left
   */
  allocate(bytes: number): number {
    const size = sizeClass(bytes);
    const address = this.#free.get(size)?.pop() ?? this.#carve(size) ?? this.#rise(size) ?? this.#carveMerged(size);
    if (address === undefined)
      throw new ConfigError(
        spoken`agents.size: the memory of the CPU engine is full: ${bytes} more bytes are needed, but of the total of ${this.end - this.start} bytes, ${this.#usedBytes} bytes are already in use; use a smaller agents.size or a lower world.level.`,
      );
    this.#sizes.set(address, size);
    this.#usedBytes += size;
    this.#peakBytes = Math.max(this.#peakBytes, this.#usedBytes);
    return address;
  }

  /** The size in bytes of a block in use, rounded up to its size class. */
  sizeOf(address: number): number {
    const size = this.#sizes.get(address);
    if (size === undefined) throw new ConfigError(`simd: there is no block in use at address ${String(address)}.`);
    return size;
  }

  /** Frees a block. */
  free(address: number): void {
    const size = this.#sizes.get(address);
    if (size === undefined)
      throw new ConfigError(`simd: there is no block in use at address ${String(address)}; was it freed twice?`);
    this.#sizes.delete(address);
    this.#usedBytes -= size;
    const list = this.#free.get(size);
    if (list) list.push(address);
    else this.#free.set(size, [address]);
  }

  #rise(size: number): number | undefined {
    if (this.#edge + size > this.end) return undefined;
    const address = this.#edge;
    this.#edge += size;
    return address;
  }

  #carve(size: number): number | undefined {
    for (const span of this.#spans)
      if (span[1] >= size) {
        const address = span[0];
        span[0] += size;
        span[1] -= size;
        return address;
      }
    return undefined;
  }

  #carveMerged(size: number): number | undefined {
    const blocks = this.#spans.filter(([, bytes]) => bytes > 0);
    for (const [bytes, addresses] of this.#free) for (const address of addresses) blocks.push([address, bytes]);
    this.#free.clear();
    this.#spans = [];
    for (const block of blocks.sort((a, b) => a[0] - b[0])) {
      const last = this.#spans.at(-1);
      if (last && last[0] + last[1] === block[0]) last[1] += block[1];
      else this.#spans.push(block);
    }
    const last = this.#spans.at(-1);
    if (last && last[0] + last[1] === this.#edge) {
      this.#edge = last[0];
      this.#spans.pop();
    }
    return this.#carve(size) ?? this.#rise(size);
  }
}

/**
 * The size class for a request: the smallest allowed block size that is large enough. There are four sizes between each
 * power of two and the next, and none below 16 bytes.
 */
export function sizeClass(bytes: number): number {
  const least = Math.max(bytes, alignment);
  const step = Math.max(alignment, 2 ** Math.floor(Math.log2(least)) / 4);
  return Math.ceil(least / step) * step;
}
