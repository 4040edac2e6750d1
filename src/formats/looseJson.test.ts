import fc from 'fast-check';
import { expect, it } from 'vitest';
import { heldFile } from './givenFile.ts';
import { jsonOf } from './llama/modelFiles.ts';
import { readLooseJson } from './looseJson.ts';

it('numbers of Python that are none are read as null, wherever they stand outside of a text', () => {
  const text = String.raw`[NaN, Infinity,-Infinity, {"a":NaN,"NaN":"NaN and \"Infinity, NaN","b":[-Infinity]}, "\\", NaN]`;
  expect(readLooseJson(text)).toEqual([
    null,
    null,
    null,
    { a: null, NaN: 'NaN and "Infinity, NaN', b: [null] },
    '\\',
    null,
  ]);
});

it('any other JSON is read as it is, with such words in its texts too', () => {
  const words = fc.string({ unit: fc.constantFrom('NaN', 'Infinity', '-', '"', '\\', ' ', ',', '\n') });
  fc.assert(
    fc.property(fc.array(fc.oneof(words, fc.jsonValue())), (value) => {
      const text = JSON.stringify(value);
      expect(readLooseJson(text)).toEqual(JSON.parse(text));
      expect(readLooseJson(`[NaN,${text}]`)).toEqual([null, JSON.parse(text)]);
    }),
  );
});

it('what is no JSON stays none, and is told as it is written', () => {
  for (const text of [
    'NaNx',
    '5-Infinity',
    '{NaN: 1}',
    '[NaN',
    '- Infinity',
    '-NaN',
    'NaN NaN',
    "['NaN']",
    '{"a": None, "b": NaN}',
  ])
    expect(() => readLooseJson(text), text).toThrow(SyntaxError);
  expect(() => readLooseJson('{"a": None, "b": NaN}')).toThrow(/N/);
});

it('a text of ten million signs is read', () => {
  const long = `${'x\\"'.repeat(3_000_000)}`;
  expect((readLooseJson(`["${long}", NaN]`) as string[])[0]).toHaveLength(6_000_000);
});

it('the files of a model are read so', async () => {
  const bytes = new TextEncoder().encode('\uFEFF{"model_type": "llama", "router_jitter_noise": Infinity}');
  const read = (content: Uint8Array) =>
    jsonOf(new Map([['config.json', heldFile('config.json', content)]]), 'config.json');
  expect(await read(bytes)).toEqual({ model_type: 'llama', router_jitter_noise: null });
  await expect(read(Uint8Array.from([0x7b, 0x22, 0xeb]))).rejects.toThrow(
    'config.json: line 1: the text is not written in UTF-8',
  );
});
