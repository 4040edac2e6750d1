// Kept models, on a private file system of maps: whole or not at all.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Sha256 } from '../base/sha256.ts';
import { keepModel } from './keepModel.ts';
import { deleteModel, keepsModels, keptFiles, keptModels, unfinishedModels } from './keptModels.ts';

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

const facts = { name: 'model-0123456789abcdef', label: 'tiny', family: 'llama', licence: 'mit', parameters: 12 };
const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
const files = [new File([bytes], 'tiny.gguf')];
const room = { left: 0 };

beforeEach(() => {
  room.left = 1e6;
  const root = new FakeFolder('', room);
  vi.stubGlobal('navigator', { storage: { getDirectory: () => Promise.resolve(root) } });
});
afterEach(() => void vi.unstubAllGlobals());

it('a model is kept with its files as they were, is told by its card, and goes when it is deleted', async () => {
  const told: number[] = [];
  const card = await keepModel(facts, files, (so) => told.push(so));
  expect(card).toMatchObject({ ...facts, bytes: 1000 });
  expect(card.files).toEqual([{ name: 'tiny.gguf', bytes: 1000, sha256: new Sha256().add(bytes).hex() }]);
  expect([await keptModels(), await unfinishedModels(), told]).toEqual([[card], [], [1000]]);
  const found = await keptFiles(facts.name);
  expect(found?.files.map(({ name }) => name)).toEqual(['tiny.gguf']);
  expect(new Uint8Array((await found?.files[0]?.arrayBuffer()) as ArrayBuffer)).toEqual(bytes);
  await deleteModel(facts.name);
  expect([await keptModels(), await keptFiles(facts.name)]).toEqual([[], null]);
  await deleteModel(facts.name);
});

it('nothing stays of one for which there is no room, and that is told', async () => {
  room.left = 999;
  await expect(keepModel(facts, files)).rejects.toThrow(/no room in this browser for tiny; delete another model/);
  expect([await keptModels(), await unfinishedModels()]).toEqual([[], []]);
});

it('one whose card is not whole was never finished', async () => {
  await keepModel(facts, files);
  const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('models');
  const card = (await (await folder.getDirectoryHandle(facts.name)).getFileHandle('card.json')) as unknown as FakeFile;
  card.bytes = card.bytes.slice(0, 20);
  expect([await keptModels(), await unfinishedModels(), await keptFiles(facts.name)]).toEqual([[], [facts.name], null]);
});

it('a browser without a private file system keeps none, and says so', async () => {
  vi.stubGlobal('navigator', {});
  expect([await keepsModels(), await keptModels(), await unfinishedModels()]).toEqual([false, [], []]);
  await expect(keepModel(facts, files)).rejects.toThrow(/keeps no files here/);
});
