// Adapts the vocabulary of a foreign model to the agents. All tokens keep their ids, but three special tokens are
// renamed to `<bos>`, `<eot>` and `<finish>`. Code that writes these three names therefore produces tokens of the
// model. Role headers and hidden texts are plain text in this vocabulary.
import { ConfigError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { ForeignModel, OwnNames } from '../records/stored/foreignModel.ts';
import { endOfTurn, finish } from './chatTemplate.ts';
import { tokenizerConfig } from './tokenizer.ts';

const bos = tokenizerConfig.bos_token;

/** The fields of a tokenizer.json that this file reads. */
interface Written {
  added_tokens?: readonly { id: number; content: string; special?: boolean }[];
  normalizer?: object | null;
  decoder?: { type?: string } | null;
  model: {
    vocab: Record<string, number> | [string, number][];
    unk_token?: string | null;
    byte_fallback?: boolean;
  };
}

/** The id of each token. */
function idsIn({ added_tokens: added = [], model: { vocab } }: Written): Map<string, number> {
  const own = Array.isArray(vocab) ? vocab.map(([token], id) => [token, id] as const) : Object.entries(vocab);
  return new Map([...own, ...added.map(({ content, id }) => [content, id] as const)]);
}

/** Tokens that end a message, in models in which another token ends a text, as in Gemma. */
const messageEnds = new Set(['<end_of_turn>']);

/** Whether a vocabulary comes from a foreign model. */
export const isForeign = (tokenizer: object): boolean => !idsIn(tokenizer as Written).has(endOfTurn);

/** Whether every text can be encoded without the unknown token. */
const isWhole = ({ decoder, model }: Written) => decoder?.type === 'ByteLevel' || model.byte_fallback === true;

/**
 * A tokenizer, the special tokens in tokenizer_config.json by their keys, and the ids of the tokens that end a text.
 */
export interface GivenTokens {
  tokenizer: object;
  special?: Readonly<Record<string, string>>;
  endIds?: readonly number[];
  /** The Jinja template; null if the model has no template. */
  chatTemplate?: string | null;
}

/**
 * Maps the special tokens of a model to ours. The end of a turn is the token with which the model ends a message or, if
 * it has no such token, the token with which it ends a text. The finish token is another token that ends a text. If there is no other token of this kind, the finish token is the
 * padding token or, if this is missing too, the first special token without another use. The unknown token becomes the
 * finish token only if no other token is left, and only if every text can be encoded without it. A token without a
 * counterpart in the model is omitted.
 */
export function ownNames({
  tokenizer,
  special = {},
  endIds = [],
}: GivenTokens): Partial<OwnNames> & Pick<OwnNames, 'bos'> {
  const written = tokenizer as Written;
  const ids = idsIn(written);
  const texts = new Map([...ids].map(([token, id]) => [id, token]));
  const there = (token?: string) => (token !== undefined && ids.has(token) ? token : undefined);
  const endings = [there(special['eos_token']), ...endIds.map((id) => texts.get(id))].filter(
    (one) => one !== undefined,
  );
  const end = endings.find((one) => messageEnds.has(one)) ?? endings[0];
  const opening = there(bos) ?? there(special['bos_token']);
  const unknown = there(special['unk_token']) ?? written.model.unk_token ?? undefined;
  const rest = (written.added_tokens ?? []).filter((one) => one.special).map(({ content }) => content);
  const taken = new Set([end, opening, unknown]);
  // If a token of its own ends a message, the token that ends a text is free for the end of a dialogue.
  const free = messageEnds.has(end ?? '') ? endings.find((one) => one !== end) : undefined;
  const finishing = [there(finish) ?? free, ...endings, there(special['pad_token']), ...rest];
  const last = finishing.find((one) => !taken.has(one)) ?? (isWhole(written) ? unknown : undefined);
  return {
    bos: opening === undefined || opening === end ? null : opening,
    ...(end !== undefined && { endOfTurn: end }),
    ...(last !== undefined && { finish: last }),
  };
}

/**
 * Describes a model with a foreign vocabulary in the form that agents need. Returns null for a model with our
 * vocabulary. Throws ConfigError if the model has no token to end a turn or to finish a dialogue.
 */
export function asForeign(model: GivenTokens & Pick<ForeignModel, 'label' | 'shape'>): ForeignModel | null {
  const { label, shape, tokenizer } = model;
  if (!isForeign(tokenizer)) return null;
  const { bos: opening, endOfTurn: end, finish: last } = ownNames(model);
  if (end === undefined)
    throw new ConfigError(
      spoken`${label} has no end-of-text token, which is required at the end of every turn; enter such a token as eos_token in tokenizer_config.json.`,
    );
  if (last === undefined)
    throw new ConfigError(
      spoken`${label} has no special token left that could finish a dialogue; enter such a token as pad_token in tokenizer_config.json.`,
    );
  const names = { bos: opening, endOfTurn: end, finish: last };
  const agentsJson = JSON.stringify(renamed(tokenizer as Written, names, shape.vocabSize));
  const { chatTemplate: template, special = {} } = model;
  const chat = template ? { chat: { template, special: { ...special } } } : {};
  return { label, shape, tokenizerJson: JSON.stringify(tokenizer), names, agentsJson, ...chat };
}

/** Replaces our names of special tokens in a text with the names that the model uses. */
export const inOwnNames = (text: string, { bos: opening, endOfTurn: end, finish: last }: OwnNames): string =>
  text
    .replaceAll(bos, opening ?? '')
    .replaceAll(endOfTurn, end)
    .replaceAll(finish, last);

/** The tokenizer.json that agents use. The file has the model's ids, but our names for the special tokens. */
function renamed(json: Written, names: OwnNames, vocabSize: number): object {
  const ids = idsIn(json);
  const ours = new Map([
    ...(names.bos === null ? [] : [[names.bos, bos] as const]),
    ...([
      [names.endOfTurn, endOfTurn],
      [names.finish, finish],
    ] as const),
  ]);
  const called = (token: string) => ours.get(token) ?? token;
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  const added = (json.added_tokens ?? []).map((one) => ({ ...one, content: called(one.content) }));
  const listed = new Set(added.map(({ id }) => id));
  const special = [...ours].map(([own, content]) => ({ id: ids.get(own) as number, content, ...flags }));
  // Some rows of the embeddings belong to no token. These rows get names, because they can be sampled too.
  const used = new Set(ids.values());
  const unused = [...Array(vocabSize).keys()]
    .filter((id) => !used.has(id))
    .map((id) => ({ id, content: `<unused ${id}>`, ...flags }));
  const { vocab, unk_token: unknown } = json.model;
  const model = {
    ...json.model,
    vocab: Array.isArray(vocab)
      ? vocab.map(([token, score]) => [called(token), score])
      : Object.fromEntries(Object.entries(vocab).map(([token, id]) => [called(token), id])),
    ...(unknown && { unk_token: called(unknown) }),
  };
  const dropped = { type: 'Replace', pattern: { String: bos }, content: '' };
  const before = json.normalizer ? [json.normalizer] : [];
  return {
    ...json,
    added_tokens: [...added, ...special.filter(({ id }) => !listed.has(id)), ...unused].sort((a, b) => a.id - b.id),
    ...(names.bos === null && { normalizer: { type: 'Sequence', normalizers: [dropped, ...before] } }),
    // The post-processor would add tokens around a text, but an agent's context does not contain them.
    post_processor: null,
    model,
  };
}
