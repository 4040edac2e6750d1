// Tests of stored models, which are always either complete or absent. The browser's private file system is a fake in
// memory.
import { expect, it, vi } from 'vitest';
import { Sha256 } from '../base/sha256.ts';
import { keepModel } from './keepModel.ts';
import { privateFiles } from './testing/privateFiles.ts';
import { deleteModel, keepsModels, keptFiles, keptModels, unfinishedModels } from './keptModels.ts';

const facts = { name: 'model-0123456789abcdef', label: 'tiny', family: 'llama', licence: 'mit', parameters: 12 };
const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
const files = [new File([bytes], 'tiny.gguf')];
const room = privateFiles();

it('a model is stored with unchanged files, is described by its card, and can be deleted', async () => {
  const told: number[] = [];
  const card = await keepModel(facts, files, (so) => told.push(so) > 0);
  expect(card).toMatchObject({ ...facts, bytes: 1000 });
  expect(card?.files).toEqual([{ name: 'tiny.gguf', bytes: 1000, sha256: new Sha256().add(bytes).hex() }]);
  expect([await keptModels(), await unfinishedModels(), told]).toEqual([[card], [], [1000]]);
  const found = await keptFiles(facts.name);
  expect(found?.files.map(({ name }) => name)).toEqual(['tiny.gguf']);
  expect(new Uint8Array((await found?.files[0]?.arrayBuffer()) as ArrayBuffer)).toEqual(bytes);
  await deleteModel(facts.name);
  expect([await keptModels(), await keptFiles(facts.name)]).toEqual([[], null]);
  await deleteModel(facts.name);
});

it('a model for which there is no room leaves nothing, and this is reported', async () => {
  room.left = 999;
  await expect(keepModel(facts, files)).rejects.toThrow(/no room in this browser for tiny; delete another model/);
  expect([await keptModels(), await unfinishedModels()]).toEqual([[], []]);
});

it('a cancelled copy of a model leaves nothing, and the model can be stored later', async () => {
  const two = [...files, new File([bytes], 'tokenizer.json')];
  const told: number[] = [];
  expect(await keepModel(facts, two, (so) => Promise.resolve(told.push(so) < 2))).toBeNull();
  expect([told, await keptModels(), await unfinishedModels()]).toEqual([[1000, 2000], [], []]);
  expect((await keepModel(facts, two))?.bytes).toBe(2000);
});

it('a model with an incomplete card counts as unfinished', async () => {
  await keepModel(facts, files);
  const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('models');
  const card = (await (await folder.getDirectoryHandle(facts.name)).getFileHandle('card.json')) as unknown as {
    bytes: Uint8Array;
  };
  card.bytes = card.bytes.slice(0, 20);
  expect([await keptModels(), await unfinishedModels(), await keptFiles(facts.name)]).toEqual([[], [facts.name], null]);
});

it('a browser without a private file system stores no model, and says so', async () => {
  vi.stubGlobal('navigator', {});
  expect([await keepsModels(), await keptModels(), await unfinishedModels()]).toEqual([false, [], []]);
  await expect(keepModel(facts, files)).rejects.toThrow(/cannot store files here/);
});
