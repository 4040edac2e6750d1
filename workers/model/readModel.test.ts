// Tests the worker that reads models. The test calls the worker in the same way as the page does, with files that were
// dropped on the page.
import { expect, it } from 'vitest';
import { sampleFiles } from '../../src/formats/llama/testing/sample.ts';
import { ggufShapeOf, sampleCount, sampleGguf } from '../../src/formats/gguf/testing/sampleGguf.ts';
import { ReadModel } from './readModel.ts';

const unheard = () => undefined;
const fileOf = (name: string, bytes: Uint8Array) => new File([bytes.slice()], name);

it('a dropped GGUF file is a model with the name of the file', async () => {
  const models = new ReadModel();
  const card = await models.read([fileOf('theirs.gguf', sampleGguf({ format: 'Q8_0' }))], unheard);
  expect(card).toMatchObject({ label: 'theirs', types: ['Q8_0', 'F32'], endings: ['</s>'], isForeign: true });
  expect(card.shape).toMatchObject({ ...ggufShapeOf(), vocabSize: sampleCount, ropeTheta: 10_000.5 });
});

it('an answer is streamed by token, is the same with all threads and one thread, and stops on request', async () => {
  const models = new ReadModel();
  await models.read([fileOf('theirs.gguf', sampleGguf())], unheard);
  const wish = {
    messages: [{ role: 'user', content: 'two and two' }],
    tokens: 12,
    temperature: 1,
    limits: {},
    seed: 1,
    isAlone: true,
  } as const;
  const heard: string[] = [];
  const hear = (tokens: readonly { text: string }[]) => heard.push(...tokens.map(({ text }) => text)) > 0 || true;
  const said = await models.say(wish, hear);
  expect(said.tokens.map(({ text }) => text).slice(0, heard.length)).toEqual(heard);
  expect(heard.length).toBeGreaterThan(2);
  expect(said.read).toBe((await models.prompt(wish.messages)).tokens);
  expect((await models.say({ ...wish, isAlone: false }, () => true)).tokens).toEqual(said.tokens);
  const cut = await models.say(wish, () => false);
  expect([cut.tokens.length, cut.isEnded]).toEqual([1, false]);
});

it('the model reads a chat through its own template', async () => {
  const models = new ReadModel();
  await models.read([fileOf('theirs.gguf', sampleGguf())], unheard);
  expect(await models.prompt([{ role: 'user', content: 'the cat' }])).toMatchObject({ text: 'the cat' });
});

it('the files of a folder are one model', async () => {
  const files = await Promise.all(
    sampleFiles({ shards: 2 }).map(async ({ name, bytes }) => fileOf(name, await bytes())),
  );
  expect(await new ReadModel().read(files, unheard)).toMatchObject({ label: 'model', types: ['F32'] });
});

it('a GGUF file among other files is accepted, but two GGUF files are refused', async () => {
  const notes = fileOf('README.md', new Uint8Array(3));
  expect((await new ReadModel().read([notes, fileOf('a.gguf', sampleGguf())], unheard)).types).toEqual(['F32']);
  const two = ['a.gguf', 'b.gguf'].map((name) => fileOf(name, sampleGguf()));
  await expect(new ReadModel().read(two, unheard)).rejects.toThrow(/config\.json is not among the chosen files/);
});

it('the progress of reading the files is reported', async () => {
  const bytes = sampleGguf({ format: 'Q8_0' });
  const heard: number[] = [];
  await new ReadModel().read([fileOf('theirs.gguf', bytes)], (read) => void heard.push(read));
  expect(heard.length).toBeGreaterThan(10);
  expect(heard).toEqual(heard.toSorted((a, b) => a - b));
  expect(heard.at(-1)).toBeGreaterThan(0.99 * bytes.length);
});
