import { describe, expect, it } from 'vitest';
import { Draws } from '../../base/random.ts';
import { Heap } from './heap.ts';

describe('Heap', () => {
  it('hands the block of a freed request to the next one of its size', () => {
    const heap = new Heap(64, 4096);
    const first = heap.allocate(100);
    heap.allocate(100);
    heap.free(first);
    expect(heap.allocate(97)).toBe(first);
  });

  it('remembers the most that was in use, until it is told to begin again', () => {
    const heap = new Heap(64, 4096);
    const held = [heap.allocate(512), heap.allocate(1024)];
    held.forEach((address) => heap.free(address));
    expect([heap.usedBytes, heap.peakBytes]).toEqual([0, 1536]);
    heap.restartPeak();
    heap.allocate(16);
    expect(heap.peakBytes).toBe(16);
  });

  it('never overlaps blocks, aligns them to 16 bytes and ends with no byte in use', () => {
    const heap = new Heap(65, 1 << 20);
    const draws = new Draws(3, 0, 0);
    const held: { address: number; bytes: number }[] = [];
    for (let i = 0; i < 4000; i++) {
      if (held.length > 40 || (held.length > 0 && draws.next() < 0.45)) {
        const [block] = held.splice(draws.below(held.length), 1);
        heap.free(block?.address ?? 0);
        continue;
      }
      const bytes = 1 + draws.below(20000);
      const address = heap.allocate(bytes);
      expect(address % 16).toBe(0);
      expect(address + bytes).toBeLessThanOrEqual(1 << 20);
      expect(held.some((other) => address < other.address + other.bytes && other.address < address + bytes)).toBe(
        false,
      );
      held.push({ address, bytes });
    }
    for (const { address } of held) heap.free(address);
    expect(heap.usedBytes).toBe(0);
  });

  it('merges small free blocks into a large one when the end is reached', () => {
    const heap = new Heap(0, 16384);
    const blocks = Array.from({ length: 16 }, () => heap.allocate(1024));
    for (const block of blocks.slice(2, 14)) heap.free(block);
    expect(heap.allocate(8192)).toBe(2048);
    expect(heap.allocate(4096)).toBe(2048 + 8192);
  });

  it('names what is missing when the memory is full, and refuses a second free', () => {
    const heap = new Heap(0, 1024);
    const block = heap.allocate(1024);
    expect(() => heap.allocate(16)).toThrow(
      /16 more bytes are needed, but of the total of 1024 bytes, 1024 bytes are already in use; use a smaller agents\.size/,
    );
    heap.free(block);
    expect(() => {
      heap.free(block);
    }).toThrow(/freed twice/);
  });
});
