// A fake of the browser's private file system for tests in Node. The files are in memory, and their total size is
// limited.
import { afterEach, beforeEach, vi } from 'vitest';

const absent = () => new DOMException('', 'NotFoundError');

class FakeFile {
  readonly kind = 'file';
  bytes = new Uint8Array(0);
  readonly #room: { left: number };

  constructor(room: { left: number }) {
    this.#room = room;
  }

  getFile = () => Promise.resolve(new File([this.bytes.slice()], 'kept'));
  createSyncAccessHandle = () =>
    Promise.resolve({
      truncate: (size: number) => (this.bytes = this.bytes.slice(0, size)),
      write: (part: Uint8Array, { at }: { at: number }) => {
        if ((this.#room.left -= part.length) < 0) return 0;
        const grown = new Uint8Array(Math.max(this.bytes.length, at + part.length));
        grown.set(this.bytes);
        grown.set(part, at);
        this.bytes = grown;
        return part.length;
      },
      flush: () => undefined,
      close: () => undefined,
    });
}

class FakeFolder {
  readonly kind = 'directory';
  readonly entries = new Map<string, FakeFolder | FakeFile>();
  readonly name: string;
  readonly #room: { left: number };

  constructor(name: string, room: { left: number }) {
    this.name = name;
    this.#room = room;
  }

  getDirectoryHandle = (name: string, options?: { create: boolean }) =>
    this.#entry(name, options?.create ? () => new FakeFolder(name, this.#room) : null);
  getFileHandle = (name: string, options?: { create: boolean }) =>
    this.#entry(name, options?.create ? () => new FakeFile(this.#room) : null);
  removeEntry = (name: string) => (this.entries.delete(name) ? Promise.resolve() : Promise.reject(absent()));
  async *values() {
    yield* await Promise.resolve(this.entries.values());
  }

  #entry(name: string, make: (() => FakeFolder | FakeFile) | null) {
    const entry = this.entries.get(name) ?? make?.();
    if (!entry) return Promise.reject(absent());
    this.entries.set(name, entry);
    return Promise.resolve(entry);
  }
}

/** Gives every test of a file an empty private file system; `left` is the free space in it, in bytes. */
export function privateFiles(bytes = 1e6): { left: number } {
  const room = { left: 0 };
  beforeEach(() => {
    room.left = bytes;
    const root = new FakeFolder('', room);
    vi.stubGlobal('navigator', { storage: { getDirectory: () => Promise.resolve(root) } });
  });
  afterEach(() => void vi.unstubAllGlobals());
  return room;
}
