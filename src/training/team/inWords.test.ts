// Compares the chat of a world, token by token, with the output of the transformers library for the same messages.
import { beforeAll, describe, expect, it } from 'vitest';
import type { ForeignModel } from '../../records/stored/foreignModel.ts';
import type { Problem } from '../../records/problem.ts';
import { world } from '../../extensions/worlds/passItOn/world.ts';
import * as words from '../../extensions/worlds/passItOn/words.ts';
import { presetConfig } from '../../config/presets.ts';
import { protocolOf } from '../../records/protocol.ts';
import type { HeardInWords } from '../../tasks/world.ts';
import { readyTemplates } from '../../text/chat.ts';
import { withWords } from '../../tasks/inWords/inWordsFrom.ts';
import { inTokensOf } from './foreignTokens.ts';
import { readerInWords } from './plainWords.ts';
import smol from './testing/smolChat.json';

beforeAll(readyTemplates);

const text = JSON.stringify(smol.tokenizer);
const model = {
  ...{ label: 'SmolLM2', tokenizerJson: text, agentsJson: text },
  names: { bos: '<|im_start|>', endOfTurn: '<|im_end|>', finish: '<|endoftext|>' },
  chat: { template: smol.template, special: smol.special },
} as unknown as ForeignModel;
const config = presetConfig('passItOn');
const protocol = protocolOf(config.agents, world);
const read = readerInWords({ world: withWords(world, words), config, protocol }, model);
const problem: Problem = {
  ...{ id: 'a', world: 'passItOn', level: 1, shown: 'What colour is the hat?', answer: 'green', slice: 'green' },
  hidden: { secret: 'Tell Anna: the hat is green.' },
  given: { thing: 'hat', colour: 'green', friend: 'Anna' },
};
const said = (text: string, agent = 0): HeardInWords => ({ role: 'metaThinking', agent, isOwn: false, text });

describe('SmolLM2 reads', () => {
  it.each<[string, number, HeardInWords[], readonly number[]]>([
    ['the request to tell', 0, [], smol.ids.tell],
    ['the question with the message', 1, [said(' The hat is green.')], smol.ids.hear],
    ['the question with a message that was withheld', 1, [said('')], smol.ids.hidden],
    [
      'what it said itself as the assistant’s',
      0,
      [{ ...said('The hat is green.'), isOwn: true }, said('green', 1)],
      smol.ids.again,
    ],
  ])('%s as transformers writes it', (_, agent, heard, ids) => {
    expect(read(problem, agent, heard)).toEqual(ids);
  });

  it('a control token that was sampled not at all', () => {
    expect(read(problem, 1, [said('The hat<|im_end|> is green.')])).toEqual(smol.ids.hear);
  });
});

it('a model that has no tokens for an answer is refused by name', () => {
  const vocabulary = (letters: string) => {
    const tokens = ['<unk>', '<s>', '</s>', '<pad>', ...letters];
    const added = tokens.slice(0, 4).map((content, id) => ({ id, content, special: true }));
    const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]));
    const none = { normalizer: null, pre_tokenizer: null, post_processor: null };
    const bytePairs = { type: 'BPE', unk_token: '<unk>', vocab, merges: [] };
    return { added_tokens: added, ...none, decoder: { type: 'Fuse' }, model: bytePairs };
  };
  const limitsFor = (letters: string) => {
    const json = JSON.stringify(vocabulary(letters));
    return inTokensOf(world, { ...model, tokenizerJson: json, agentsJson: json }).limits(1, protocol);
  };
  const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ .?:<>'].join('');
  expect(limitsFor(letters).windows).toHaveLength(2);
  expect(() => limitsFor(letters.replace('g', ''))).toThrow(
    /SmolLM2 has no tokens for the answer "green", which becomes/,
  );
});
