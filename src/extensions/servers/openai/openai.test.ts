// Tests that each field of a request is either applied, or has no effect on the answer, or is refused with an error
// that contains its name.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNamedError } from '../../../base/errors.ts';
import { bytePairTokenizer, vocabularyBounds } from '../../../text/bytePairs.ts';
import { ControlTokens, specialIn } from '../../../text/controlTokens.ts';
import { tokenizerOf } from '../../../text/tokenizer.ts';
import type { GenerationRequest } from '../../../../cli/serve/model.ts';
import { readAsked, type Kind } from './openai.ts';

const json = bytePairTokenizer(['the cat'], vocabularyBounds.min);
const tokenizer = tokenizerOf(json);
const template = '{% for message in messages %}<{{ message.role }}>{{ message.content }}{% endfor %}';
const network = { shape: { vocabSize: tokenizer.vocabSize } };
const model = {
  tokenizer,
  network,
  chat: { template, special: {}, controls: new ControlTokens(tokenizer, specialIn(json)) },
};
const good = { chat: { messages: [{ role: 'user', content: 'a' }] }, text: { prompt: 'a' } };
const asked = (kind: Kind, more: object) => readAsked(kind, { ...good[kind], ...more }, 7);
const wish = (kind: Kind, more: object) => asked(kind, more).wishes(model)[0] as GenerationRequest;
const saidOf = (messages: readonly object[]) => tokenizer.decode(wish('chat', { messages }).context);

describe.each(['chat', 'text'] as const)('a request for %s', (kind) => {
  it('keeps its sampling limits', () => {
    expect(wish(kind, {}).limits).toEqual({ topP: 1, minP: 0 });
    expect(wish(kind, { top_p: 0.9, top_k: 40, min_p: 0.05 }).limits).toEqual({ topP: 0.9, topK: 40, minP: 0.05 });
    for (const off of [-1, 0, null]) expect(wish(kind, { top_k: off }).limits).toEqual({ topP: 1, minP: 0 });
  });

  it.each([
    ['logit_bias', { 5: 100 }],
    ['tools', [{ type: 'function', function: { name: 'f' } }]],
    ['tool_choice', 'required'],
    ['response_format', { type: 'json_object' }],
    ['frequency_penalty', 0.5],
    ['presence_penalty', -1],
    ['repetition_penalty', 1.1],
    ['suffix', 'end'],
    ['best_of', 2],
    ['reasoning_effort', 'low'],
    ['guided_regex', '[0-9]+'],
    ['stop_token_ids', [5]],
    ['ignore_eos', true],
    ['constructor', 'x'],
    ['n', 17],
    ['top_p', 1.1],
    ['top_k', -2],
    ['min_p', -0.1],
    ['temperature', 3],
    ['max_tokens', -1],
    ['seed', 0.5],
    ['stop', Array.from({ length: 65 }, () => 'x')],
  ])('is refused with the name of %s, which would change the answer', (name, value) => {
    const refused = () => asked(kind, { [name]: value });
    expect(refused).toThrow(new RegExp(`^${name}: expected`));
    try {
      refused();
    } catch (error) {
      expect(isNamedError(error)).toBe(true);
    }
  });

  it.each([
    ['user', 'me'],
    ['metadata', { run: '3' }],
    ['store', true],
    ['logit_bias', {}],
    ['tools', []],
    ['tool_choice', 'auto'],
    ['response_format', { type: 'text' }],
    ['frequency_penalty', 0],
    ['repetition_penalty', 1],
    ['suffix', null],
    ['whatever', null],
    ['stream_options', { include_usage: true, include_obfuscation: false }],
  ])('is the same with a value of %s that requests nothing', (name, value) => {
    expect(wish(kind, { [name]: value })).toEqual(wish(kind, {}));
  });

  it.each([4096, 8192, 5_000_000])('may ask for %i tokens, even if fewer fit', (tokens) => {
    expect(wish(kind, { max_tokens: tokens }).tokens).toBe(tokens);
  });

  it('may have any whole number as its seed, and different seeds stay different', () => {
    const seeds = [0, 1, 2 ** 32 - 1, -1, -2, 2 ** 32, 2 ** 40, -(2 ** 40), 2 ** 53 - 1];
    const read = seeds.map((seed) => wish(kind, { seed }).seed);
    expect(read.slice(0, 3)).toEqual(seeds.slice(0, 3));
    expect(new Set(read).size).toBe(seeds.length);
    for (const seed of read) expect(seed).toBe(seed >>> 0);
    expect(wish(kind, { seed: null }).seed).toBe(7);
  });

  it.each([
    ['', []],
    [['', '\n'], ['\n']],
  ])('with the stop texts %j keeps only those that are not empty', (stop, kept) => {
    expect(wish(kind, { stop }).stops).toEqual(kept);
  });
});

describe('messages', () => {
  it('may consist of several text parts, and have the role of the developer or a tool', () => {
    const parts = [
      { type: 'text', text: 'the ' },
      { type: 'text', text: 'cat' },
    ];
    expect(
      saidOf([
        { role: 'developer', content: 'a' },
        { role: 'user', content: parts },
      ]),
    ).toBe('<system>a<user>the cat');
    const called = { role: 'assistant', content: null, refusal: null, annotations: [], tool_calls: [] };
    expect(saidOf([called, { role: 'tool', content: '3', tool_call_id: 'x' }])).toBe('<assistant><tool>3');
  });

  it.each([
    ['user', null, 'messages.0.content'],
    ['user', [{ type: 'image_url', image_url: { url: 'x' } }], 'messages.0.content'],
    ['function', 'a', 'messages.0.role'],
  ])('of the role %s with the content %j are refused with the name of the wrong field', (role, content, name) => {
    expect(() => asked('chat', { messages: [{ role, content }] })).toThrow(name);
  });

  it('that call a tool are refused, because the model would not see the call', () => {
    const call = { id: 'x', type: 'function', function: { name: 'f', arguments: '{}' } };
    expect(() => asked('chat', { messages: [{ role: 'assistant', content: 'a', tool_calls: [call] }] })).toThrow(
      /^messages\.0\.tool_calls: expected nothing/,
    );
  });
});

describe('prompts', () => {
  const contextsOf = (prompt: unknown) =>
    asked('text', { prompt })
      .wishes(model)
      .map(({ context }) => context);
  const ids = tokenizer.encode('the cat');

  it('may be a text, tokens, or a list of either, which give the same contexts', () => {
    expect(contextsOf('the cat')).toEqual([ids]);
    expect(contextsOf(ids)).toEqual([ids]);
    expect(contextsOf(['the cat', 'a'])).toEqual([ids, tokenizer.encode('a')]);
    expect(contextsOf([ids, [1]])).toEqual([ids, [1]]);
  });

  it.each([
    [[tokenizer.vocabSize], 'prompt: expected token ids below'],
    [[[1], [tokenizer.vocabSize]], 'prompt: expected token ids below'],
    [[-1], 'prompt.0: expected'],
    [[0.5], 'prompt.0: expected'],
    [[], 'prompt: expected'],
    [['a', 1], 'prompt: expected'],
    [[1, 'a'], 'prompt: expected'],
    [[[['a']]], 'prompt: expected'],
    [{}, 'prompt: expected'],
    [Array.from({ length: 129 }, () => 'a'), 'prompt: expected'],
  ])('of the form %j are refused with the name of the field', (prompt, words) => {
    expect(() => contextsOf(prompt)).toThrow(words);
  });

  it('of any form are read, or refused by a named error', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (prompt, logprobs, echo) => {
        try {
          for (const { context } of readAsked('text', { prompt, logprobs, echo }, 7).wishes(model))
            for (const id of context) expect(id).toBeLessThan(tokenizer.vocabSize);
        } catch (error) {
          expect(isNamedError(error)).toBe(true);
        }
      }),
    );
  });

  it.each([
    ['text', { stream: true, echo: true }, 'together with echo'],
    ['text', { stream: true, logprobs: 1 }, 'together with logprobs above 0'],
    ['text', { stream: true, prompt: ['a', 'b'] }, 'together with several prompts'],
    ['chat', { stream: true, logprobs: true, top_logprobs: 2 }, 'together with top_logprobs above 0'],
    ['chat', { top_logprobs: 2 }, 'top_logprobs: expected 0 without logprobs'],
    ['chat', { max_tokens: 0 }, 'max_tokens: expected'],
  ] as const)('for %s with %j are refused, because not all of it can be had', (kind, more, words) => {
    expect(() => asked(kind, more)).toThrow(words);
  });
});
