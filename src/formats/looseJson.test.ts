import fc from 'fast-check';
import { expect, it } from 'vitest';
import { heldFile } from './givenFile.ts';
import { jsonOf } from './llama/modelFiles.ts';
import { readLooseJson } from './looseJson.ts';

it('NaN and Infinity of Python are read as null anywhere outside of a text', () => {
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

it('any other JSON is read unchanged, even if its texts contain these words', () => {
  const words = fc.string({ unit: fc.constantFrom('NaN', 'Infinity', '-', '"', '\\', ' ', ',', '\n') });
  fc.assert(
    fc.property(fc.array(fc.oneof(words, fc.jsonValue())), (value) => {
      const text = JSON.stringify(value);
      expect(readLooseJson(text)).toEqual(JSON.parse(text));
      expect(readLooseJson(`[NaN,${text}]`)).toEqual([null, JSON.parse(text)]);
    }),
  );
});

it('invalid JSON is refused, and the error quotes the original text', () => {
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

it('a text of ten million characters is read', () => {
  const long = `${'x\\"'.repeat(3_000_000)}`;
  expect((readLooseJson(`["${long}", NaN]`) as string[])[0]).toHaveLength(6_000_000);
});

it('the files of a model may contain NaN', async () => {
  const bytes = new TextEncoder().encode('\uFEFF{"model_type": "llama", "router_jitter_noise": Infinity}');
  const read = (content: Uint8Array) =>
    jsonOf(new Map([['config.json', heldFile('config.json', content)]]), 'config.json');
  expect(await read(bytes)).toEqual({ model_type: 'llama', router_jitter_noise: null });
  await expect(read(Uint8Array.from([0x7b, 0x22, 0xeb]))).rejects.toThrow(
    'config.json: line 1: the text is not written in UTF-8',
  );
});
