import { readFileSync } from 'node:fs';
import { unzipSync } from 'fflate';
import { expect, it } from 'vitest';
import { FormatError } from '../base/errors.ts';
import { Draws } from '../base/random.ts';
import { parseConfig } from '../config/parse.ts';
import type { ModelShape } from '../config/sizes.ts';
import { parameterNames } from '../records/parameters.ts';
import { readTensors } from './reference/safetensors.ts';
import { verifierZip } from './verifierZip.ts';

const shape: ModelShape = {
  ...{ vocabSize: 32, hiddenSize: 8, intermediateSize: 12, numLayers: 1, numHeads: 2, numKvHeads: 1, headSize: 4 },
  ...{ ropeTheta: 10000, normEps: 1e-5, isTied: false, maxPositions: 16 },
};
const random = (name: string, dimensions: number[], i: number) => {
  const draws = new Draws(1, 0, i);
  const length = dimensions.reduce((a, b) => a * b, 1);
  return { name, shape: dimensions, values: Float32Array.from({ length }, () => draws.normal()) };
};
const source = {
  shape,
  network: {
    weights: parameterNames(shape).map(({ name, shape: dimensions }, i) => random(name, dimensions, i)),
    critic: [random('value_head.weight', [1, 8], 90), random('value_head.bias', [1], 91)],
  },
  config: parseConfig({ verifier: { isTrained: true } }),
  hasSteps: false,
  example: '<bos>7+4<eot><reason>11<eot>',
  tokenizerJson: readFileSync(new URL('../extensions/worlds/houseRule/tokenizer.json', import.meta.url), 'utf8'),
  runName: 'calm-otter',
};
const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

it('a verifier is exported as a token classifier: the same trunk, its head as score, no output layer', () => {
  const files = unzipSync(verifierZip(source));
  expect(Object.keys(files).sort()).toEqual(
    'README.md config.json model.safetensors tokenizer.json tokenizer_config.json'.split(' '),
  );
  expect(JSON.parse(text(files['config.json']))).toMatchObject({
    ...{ architectures: ['LlamaForTokenClassification'], num_labels: 1, id2label: { 0: 'right' } },
  });
  const tensors = new Map(readTensors(files['model.safetensors'] as Uint8Array).map((one) => [one.name, one]));
  const [weight, bias] = source.network.critic;
  expect(tensors.get('score.weight')).toMatchObject({ shape: [1, 8] });
  expect(Array.from(tensors.get('score.weight')?.values ?? [])).toEqual([...(weight?.values ?? [])]);
  expect(Array.from(tensors.get('score.bias')?.values ?? [])).toEqual([...(bias?.values ?? [])]);
  const body = parameterNames(shape).flatMap(({ name }) => (name === 'lm_head.weight' ? [] : name));
  expect([...tensors.keys()].sort()).toEqual([...body, 'score.bias', 'score.weight'].sort());
  expect(text(files['README.md'])).toContain(source.example);
  expect(JSON.parse(text(files['tokenizer_config.json']))).not.toHaveProperty('chat_template');
});

it('the card states the input: an answer, or the dialogue if its turns are steps', () => {
  const cardOf = (hasSteps: boolean | undefined) =>
    text(unzipSync(verifierZip({ ...source, hasSteps }))['README.md']).replaceAll('\n', ' ');
  expect(cardOf(true)).toContain('all that is hidden, then what was said, each message under the header of its role');
  expect(cardOf(false)).toContain('all that is hidden, then one answer under the header of its role');
  expect(cardOf(undefined)).toBe(cardOf(false));
  const decides = parseConfig({ agents: { protocol: 'inTurn' }, verifier: { isTrained: true, decides: true } });
  expect(text(unzipSync(verifierZip({ ...source, config: decides }))['README.md'])).toContain('without what is hidden');
});

it('a head that does not fit is refused by name', () => {
  const [weight] = source.network.critic;
  const network = { ...source.network, critic: [weight!] };
  expect(() => verifierZip({ ...source, network })).toThrow(FormatError);
  expect(() => verifierZip({ ...source, network })).toThrow('value_head.bias: expected [1], got nothing.');
});
