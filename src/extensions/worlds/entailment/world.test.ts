import { describe, expect, it } from 'vitest';
import { reasonInEnglish } from '../../../base/spoken.ts';
import { Draws, streams } from '../../../base/random.ts';
import { relations } from '../../../config/names.ts';
import { protocolsFor } from '../../../config/worlds/rules.ts';
import type { Problem } from '../../../records/problem.ts';
import { battery } from '../../../tasks/testing/battery.ts';
import { inProtocol, spoken } from '../../../tasks/testing/trajectories.ts';
import { world } from './world.ts';
import {
  guess,
  isAbout,
  readClaim,
  readPremises,
  relationOf,
  writeClaim,
  writePremise,
} from '../../../tasks/claims/premises.ts';

// A visitor's own protocol is left out, because such a protocol does not state which agent should see which part.
battery(
  world,
  protocolsFor(world).filter((name) => name !== 'own'),
);

const problem: Problem = {
  ...{ id: 'a', world: 'entailment', level: 2, shown: 'Ann is kind?', answer: 'follows', slice: 'follows' },
  hidden: { first: 'Ann is a baker. Tom is a pilot.', second: 'Every baker is kind. No pilot is calm.' },
  given: { deciding: ['Ann is a baker.', 'Every baker is kind.'] },
};

describe('the relation of premises to a claim', () => {
  const says = (claim: string, premises: string) => relationOf(readClaim(claim), readPremises(premises));

  it('follows from a fact and a rule about the claim', () => {
    expect(says('Ann is kind?', 'Ann is a baker. Every baker is kind.')).toBe('follows');
    expect(says('Ann is kind?', 'No baker is kind. Ann is a baker.')).toBe('contradicted');
    expect(says('Ann is not kind?', 'No baker is kind. Ann is a baker.')).toBe('follows');
    expect(says('Ann is not kind?', 'Every baker is kind. Ann is a baker.')).toBe('contradicted');
  });

  it('is unknown if fact or rule is missing or about something else, or the fact is negated', () => {
    for (const premises of [
      '',
      'Ann is a baker.',
      'Every baker is kind.',
      'Ann is a baker. Every pilot is kind.',
      'Ann is a baker. Every baker is calm.',
      'Tom is a baker. Every baker is kind.',
      'Ann is not a baker. Every baker is kind.',
    ])
      expect(says('Ann is kind?', premises)).toBe('unknown');
  });

  it('can be guessed from a rule about the trait, but not from a fact alone', () => {
    const guessed = (premises: string) => guess(readClaim('Ann is kind?'), readPremises(premises));
    expect(guessed('Every baker is kind.')).toBe('follows');
    expect(guessed('No baker is kind. Tom is a baker.')).toBe('contradicted');
    expect(guessed('Ann is a baker. Every baker is calm.')).toBe('unknown');
  });

  it('is read as it was written', () => {
    const text = 'Ann is not a baker. No baker is kind. Every pilot is calm.';
    expect(readPremises(text).map(writePremise).join(' ')).toBe(text);
    expect(readPremises('Ann kind. baker is. Every is.')).toEqual([]);
    for (const claim of ['Ann is kind?', 'Tom is not calm?']) expect(writeClaim(readClaim(claim))).toBe(claim);
  });
});

it.each(world.levels.map(({ level }) => level))(
  'a drawn problem of level %i depends on one premise of each half',
  (level) => {
    const draws = new Draws(7, streams.problems, level);
    for (let i = 0; i < 500; i++) {
      const { shown, hidden, answer, slice } = world.draw(level, draws, 'training');
      const halves = [readPremises(hidden['first']!), readPremises(hidden['second']!)];
      const about = halves.map((half) => half.filter((premise) => isAbout(readClaim(shown), premise)));
      expect(halves.flat()).toHaveLength(2 * level);
      expect(about.map(({ length }) => length)).toEqual([1, 1]);
      expect([answer, slice]).toEqual([relationOf(readClaim(shown), halves.flat()), answer]);
    }
  },
);

describe('a debate', () => {
  const debated = (...raws: string[]) =>
    world.assess(problem, spoken(raws, 'debater', 'debater'), inProtocol(world, 'debate'));

  it('rewards relevant premises, and answers that are right at the end', async () => {
    const said = [' Ann is a baker. unknown<eot>', ' No pilot is calm. contradicted<eot>'];
    const found = await debated(...said, ' Ann is a baker. follows<eot>', ' Every baker is kind. follows<eot>');
    expect(found).toMatchObject({ answer: 'follows', isRight: true, potentials: [0, 0.5, 0.5, 0.5, 1] });
    expect(found.perTurn.map(({ parts }) => [parts['premise'], parts['rightAnswer'] ?? 0])).toEqual([
      [1, 0],
      [0, 0],
      [1, 1],
      [1, 1],
    ]);
    expect(found.perTurn.map(({ reason }) => reasonInEnglish(reason))).toEqual([
      '',
      'the claim does not depend on that premise',
      'the answer is follows',
      'the answer is follows; the team says follows',
    ]);
  });

  it('does not pay for a premise that its speaker does not see', async () => {
    const { perTurn } = await debated(' Every baker is kind. follows<eot>', ' Ann is a baker. sailor<eot>');
    expect(perTurn.map(({ parts }) => parts['premise'])).toEqual([0, 0]);
    expect(perTurn.map(({ reason }) => reasonInEnglish(reason))).toEqual([
      'its speaker does not see “Every baker is kind.”; the answer is follows',
      'its speaker does not see “Ann is a baker.”; the answer was follows, but no answer was given; the team says follows',
    ]);
  });

  it('shows one half to each agent, and both halves to a single agent', () => {
    expect(inProtocol(world, 'debate').sees).toEqual([['first'], ['second']]);
    expect(inProtocol(world, 'reMA').sees).toEqual([['first'], ['second']]);
    expect(inProtocol(world, 'single').sees).toEqual([['first', 'second']]);
    expect(world.view(problem, ['second'])).toBe('<bos> Every baker is kind. No pilot is calm. Ann is kind?<eot>');
  });
});

it('a planner that sees one half may quote a premise, and must finish after the answer', async () => {
  const messages = spoken([' Ann is a baker.<eot>', ' follows<eot>', '<finish>'], 'metaThinking', 'reasoning');
  const found = await world.assess(problem, messages, inProtocol(world, 'reMA'));
  expect(found).toMatchObject({ answer: 'follows', isRight: true });
  expect((await world.assess(problem, messages.slice(0, 2), inProtocol(world, 'reMA'))).isRight).toBe(false);
});

describe('the ceiling of one half', () => {
  it('is one half, because a fact says nothing and a rule leaves two relations', () => {
    for (const level of [1, 2]) {
      expect(world.ceiling(level, [])).toBeCloseTo(1 / relations.length, 12);
      expect(world.ceiling(level, ['first'])).toBeCloseTo((1 / 3 + 2 / 3) / 2, 12);
      expect(world.ceiling(level, ['first', 'second'])).toBe(1);
    }
  });

  it('is at most three fifths if facts may be negated, and guessing reaches it', () => {
    expect(world.ceiling(3, ['second'])).toBeCloseTo(((1 + 1 / 3) / 3 + 2 / 3) / 2, 12);
    for (const { level } of world.levels) {
      expect(world.ceiling(level, ['first'])).toBeLessThanOrEqual(0.6);
      const draws = new Draws(8, streams.problems, level);
      const problems = Array.from({ length: 6_000 }, () => world.draw(level, draws, 'training'));
      const right = problems.filter(
        ({ shown, hidden, answer }) => guessed(shown, hidden['first'] ?? '') === answer,
      ).length;
      expect(Math.abs(right / problems.length - world.ceiling(level, ['first']))).toBeLessThan(0.03);
    }
  });
});

/**
 * The best answer of an agent that sees one half. If the half contains a fact about the person that is not negated, the
 * answer is `follows`; otherwise, the answer is that of `guess`.
 */
function guessed(shown: string, half: string) {
  const claim = readClaim(shown);
  const about = readPremises(half).filter((premise) => isAbout(claim, premise));
  const isOpen = about.some((premise) => 'name' in premise && !premise.isDenied);
  return isOpen ? 'follows' : guess(claim, about);
}
