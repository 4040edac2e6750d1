// The readers of external models: their files, each alone and all together, in a folder, in shards and zipped; their
// tokenization of a text; and their own chat template.
import { zipSync } from 'fflate';
import { chatText, plainTemplate, readyTemplates } from '../../src/text/chat.ts';
import { ggufShapeOf, sampleGguf } from '../../src/formats/gguf/testing/sampleGguf.ts';
import { readLlamaConfig } from '../../src/formats/llama/llamaConfig.ts';
import { digestOf, givenOf } from '../../src/formats/llama/llamaModel.ts';
import { readLlama } from '../../src/formats/llama/readLlama.ts';
import { cardOf } from '../../src/formats/llama/modelCard.ts';
import type { GivenFile } from '../../src/formats/givenFile.ts';
import { jsonOf } from '../../src/formats/llama/modelFiles.ts';
import {
  configFileOf,
  givenFile,
  jsonFile,
  sampleFiles,
  sampleShape,
  sampleTemplate,
  sampleTokenizer,
  sampleWeights,
  tensorFile,
} from '../../src/formats/llama/testing/sample.ts';
import { asForeign } from '../../src/text/foreignVocabulary.ts';
import { tokenizerOf } from '../../src/text/tokenizer.ts';
import { asJson, bytes, record, text, type Reader } from './reader.ts';

const files = await Promise.all(
  sampleFiles({ type: 'BF16', shards: 2 }).map(async ({ name, bytes: read }) => [name, await read()] as const),
);
const [texts, shards] = [
  files.filter(([name]) => name.endsWith('.json')),
  files.filter(([name]) => !name.endsWith('.json')),
];
const jsons = Object.fromEntries(
  texts.map(([name, content]) => [name, JSON.parse(new TextDecoder().decode(content)) as unknown]),
);
const given = (entries: readonly (readonly [string, Uint8Array])[]) =>
  entries.map(([name, content]) => givenFile(name, content));

/** Everything that happens to a model before a run is based on it. */
async function whole(model: readonly GivenFile[]): Promise<void> {
  const read = await readLlama(model);
  cardOf(read, 'theirs');
  digestOf(givenOf(read, 'theirs'));
}

/** A GGUF file whose rows are one block long, so that most of its bytes belong to the header. */
const ggufOfBlocks = (family: string) =>
  ggufShapeOf({
    hiddenSize: 32,
    intermediateSize: 32,
    headSize: 8,
    ...(family === 'qwen2' && { attentionBias: true }),
  });

const rope = { ...configFileOf(sampleShape()), rope_parameters: null, rope_theta: 10_000, rope_scaling: null };
const special = { bos_token: '<s>', eos_token: '</s>' };
const said = ['two and two', ' what is  the sum?\n', '<s>ça va\u{1F600}</s>', '     ', 'a'.repeat(200)];

function tokensOf(value: unknown): void {
  const json = asJson(value);
  if (typeof json !== 'object' || json === null) return;
  const tokenizer = tokenizerOf(json);
  for (const words of said) {
    tokenizer.decode(tokenizer.encode(words));
    tokenizer.encodeWhole(words);
  }
  asForeign({ label: 'theirs', shape: { ...sampleShape(), vocabSize: 600 }, tokenizer: json, special });
}

const base = sampleTokenizer() as Record<string, unknown> & { added_tokens: object[] };
const split = (Regex: string) => ({ type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false });
/** Tokenizers as other projects build them: pieces after normalisers, and a lattice of scores. */
const vocabularies = [
  base,
  {
    ...base,
    pre_tokenizer: split(
      String.raw`(?i:'s|'t)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
    ),
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'NFC' },
        { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
        { type: 'Prepend', prepend: '▁' },
      ],
    },
    post_processor: {
      type: 'TemplateProcessing',
      single: [{ SpecialToken: { id: '<s>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
      pair: [],
      special_tokens: { '<s>': { id: '<s>', ids: [0], tokens: ['<s>'] } },
    },
  },
  {
    ...base,
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'first' },
    decoder: {
      type: 'Sequence',
      decoders: [
        { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
        { type: 'ByteFallback' },
        { type: 'Fuse' },
      ],
    },
    model: {
      type: 'Unigram',
      unk_id: 0,
      vocab: ['<unk>', '<s>', '</s>', ...'▁twoandhisemu?', '▁two', '▁and'].map((token, i) => [token, -i]),
    },
    added_tokens: base.added_tokens.slice(0, 3),
  },
];
const patterns = [
  String.raw`'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`,
  String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t)?|\p{N}{1,3}|\s*[\r\n]+`,
  String.raw`[0-9][0-9][0-9]|(?:ab)+|[[:alpha:]&&[^a-f]]{2,4}`,
];
/** A small tokenizer with this pattern, because only the search matters. */
const searched = (Regex: string) => ({ ...vocabularies[2], pre_tokenizer: split(Regex) });

const chat = Array.from({ length: 6 }, (_, i) => ({
  role: i % 2 ? 'assistant' : 'user',
  content: ` <think>so</think> words ${i}`,
}));
const templates = [
  sampleTemplate,
  plainTemplate,
  "{%- set ns = namespace(last=messages|length - 1) %}{%- for m in messages[::-1] %}{%- if m.role == 'user' and not m.content.startswith('<tool>') %}{%- set ns.last = loop.index0 %}{%- endif %}{%- endfor %}{{ ns.last }}",
  "{%- macro shown(m, mark='#') -%}{{ mark }}{{ m|tojson(indent=2) }}{%- endmacro -%}{%- for m in messages if m.role != 'system' -%}{{ shown(m) }}{%- if loop.index > 3 -%}{%- break -%}{%- endif -%}{%- endfor -%}{{ messages|map(attribute='role')|join(', ') }}",
  "{% for i in range(30) %}{% for j in range(30) %}{{ i * j }}{% endfor %}{% endfor %}{% set x = 'ab' %}{% set x = x ~ x %}{{ x.replace('a', 'bb').split('b')|length }}{{ strftime_now('%d %B') }}",
];
const wild = [
  () => '{% for a in range(10**9) %}{% endfor %}',
  () => `${'{% for a in range(1000) %}'.repeat(4)}x${'{% endfor %}'.repeat(4)}`,
  () => "{% set x = 'ab' %}" + '{% set x = x ~ x %}'.repeat(60) + '{{ x }}',
  () => "{% set x = 'ab' %}" + '{% set x = [x, x] %}'.repeat(60) + '{{ x|tojson }}',
  () => '{% macro f(n) %}{{ f(n + 1) }}{{ f(n + 1) }}{% endmacro %}{{ f(0) }}',
  () =>
    "{% set x = 'a' %}" +
    '{% set x = x ~ x %}'.repeat(16) +
    '{% for i in range(10000) %}{% set y = x.upper() == x %}{% endfor %}',
  () => `{% if ${'('.repeat(30_000)}`,
];

await readyTemplates();

export const models: readonly Reader<unknown>[] = [
  text(
    'config.json of a model',
    [configFileOf(sampleShape()), rope].map((one) => JSON.stringify(one)),
    async (json) =>
      readLlamaConfig(
        await jsonOf(
          new Map([['config.json', givenFile('config.json', new TextEncoder().encode(json))]]),
          'config.json',
        ),
      ),
  ),
  record('files of a model', [jsons], async (changed) => {
    const own = typeof changed === 'object' && changed !== null ? Object.entries(changed) : [];
    await whole([...own.map(([name, value]) => jsonFile(name, asJson(value))), ...given(shards)]);
  }),
  text(
    'index of shards',
    texts.filter(([name]) => name.includes('index')).map(([, content]) => new TextDecoder().decode(content)),
    (index) =>
      readLlama([
        ...given(files.filter(([name]) => !name.includes('index'))),
        givenFile('model.safetensors.index.json', new TextEncoder().encode(index)),
      ]),
  ),
  bytes(
    'weights in shards',
    shards.map(([, content]) => content),
    (shard) => readLlama(given([...texts, ['model-00001-of-00002.safetensors', shard], ...shards.slice(1)])),
  ),
  bytes(
    'GGUF files of models',
    ['llama', 'qwen2'].map((family) => sampleGguf({ family, format: 'Q8_0', shape: ggufOfBlocks(family) })),
    (file) => whole([givenFile('theirs.gguf', file)]),
  ),
  bytes(
    'zips of models',
    [0, 9].map((level) =>
      zipSync(Object.fromEntries(files.map(([name, content]) => [`theirs/${name}`, content])), {
        level: level as 0 | 9,
      }),
    ),
    (zip) => whole([givenFile('theirs.zip', zip)]),
  ),
  record('vocabularies of others', vocabularies, tokensOf),
  text('expressions of vocabularies', patterns, (pattern) => tokensOf(searched(pattern))),
  {
    ...text('chat templates', templates, (template) => chatText({ template, special }, chat)),
    atMostMs: 4000,
    worst: wild,
  },
];

/** Weights in other programs' formats, for the single-file reader. */
export const foreignTensors = (['F16', 'BF16'] as const).map((type) =>
  tensorFile(sampleWeights({ ...sampleShape(), numLayers: 1, vocabSize: 8 }), type),
);
