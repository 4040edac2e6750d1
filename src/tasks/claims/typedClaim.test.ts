// Tests of typed claims, with examples. Every world that reads typed claims is tested in src/tasks/typed.test.ts.
import { describe, expect, it } from 'vitest';
import { readTypedClaim } from './typedClaim.ts';

const texts = [
  { name: 'first', label: 'the first half', sentence: '' },
  { name: 'second', label: 'the second half', sentence: '' },
];
const room = { premises: 4, canClaimDeny: true, canFactDeny: true, hasLinks: true };
const read = (shown: string, first: string, second: string, less: Partial<typeof room> = {}) =>
  readTypedClaim({ shown, hidden: { first, second } }, texts, { ...room, ...less });

describe('a typed claim', () => {
  it('is decided by the chain from the person to the trait, and the premises of the chain are deciding', () => {
    const found = read(
      ' Ann  is kind',
      'Every baker is a sailor. Tom is a miner',
      'Ann is a baker. No sailor is kind.',
    );
    expect(found).toEqual({
      shown: 'Ann is kind?',
      hidden: { first: 'Every baker is a sailor. Tom is a miner.', second: 'Ann is a baker. No sailor is kind.' },
      answer: 'contradicted',
      deciding: ['Ann is a baker.', 'Every baker is a sailor.', 'No sailor is kind.'],
    });
    expect(read('Ann is not kind?', 'Ann is a baker.', 'No baker is kind.').answer).toBe('follows');
  });

  it('is unknown without a chain to the trait, and the premises about person and trait are deciding', () => {
    const found = read('Ann is kind?', 'Every miner is kind.', 'Ann is a baker. Tom is a miner.');
    expect(found).toMatchObject({ answer: 'unknown', deciding: ['Ann is a baker.', 'Every miner is kind.'] });
  });

  it.each([
    [
      'another name',
      () => read('Zoe is kind?', 'Ann is a baker.', 'Every baker is kind.'),
      /^the claim: expected a claim .*got “Zoe is kind\?”/,
    ],
    [
      'a claim that denies where none do',
      () => read('Ann is not kind?', 'Ann is a baker.', 'No baker is kind.', { canClaimDeny: false }),
      /claims of this level have no negation/,
    ],
    [
      'a sentence that is no premise',
      () => read('Ann is kind?', 'Ann bakes.', 'Every baker is kind.'),
      /^the premises: expected .*got “Ann bakes\.”/,
    ],
    [
      'an empty half',
      () => read('Ann is kind?', ' ', 'Every baker is kind.'),
      /expected at least one sentence in the first half/,
    ],
    [
      'a denied fact where there are none',
      () => read('Ann is kind?', 'Ann is not a baker.', 'Every baker is kind.', { canFactDeny: false }),
      /leave out “not”/,
    ],
    [
      'a link where there are none',
      () => read('Ann is kind?', 'Ann is a baker.', 'Every baker is a miner.', { hasLinks: false }),
      /got “Every baker is a miner\.”/,
    ],
    [
      'more than there is room for',
      () => read('Ann is kind?', 'Ann is a baker. Tom is a miner.', 'Every baker is kind.', { premises: 2 }),
      /at most 2 premises, got 3/,
    ],
    [
      'premises that say both',
      () => read('Ann is kind?', 'Ann is a baker. Every baker is kind.', 'No baker is kind.'),
      /both that Ann is kind and that Ann is not/,
    ],
    [
      'premises that tell of neither',
      () => read('Ann is kind?', 'Tom is a baker.', 'Every baker is calm.'),
      /no premise is about Ann or says who is kind/,
    ],
  ])('is refused with the reason: %s', (_, reading, words) => expect(reading).toThrow(words));
});
