// Tests of a visitor's module with all exports that the contract allows, and of modules in which one of these exports
// has an error.
import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { parseConfig } from '../../config/parse.ts';
import { protocolOf } from '../../records/protocol.ts';
import type { Utterance } from '../world.ts';
import { customWorld } from './customWorld.ts';

const about = `export const about = { name: 'trial', label: 'Trial', levels: ['one', 'two'],
  words: ['yes', 'no', 'a', 'b', 'c'], hidden: { side: 'the side' }, parts: { hint: { sentence: 'It helps.' } },
  typed: { hint: 'a b, with yes or no' }, hasHarder: true, chatWindow: 9, random: 'shared',
  room: [{ prompt: 3, turn: 1, observation: 1, rounds: 2 }, { prompt: 4, turn: 2, observation: 2, rounds: 3 }] };
`;
const whole = `${about}
const problem = (shown, side) => ({ id: shown + side, shown, hidden: { side }, answer: side });
const sides = ['yes', 'no'];
export const draw = (random, level, split) => problem(split === 'training' ? 'a b' : 'a c', random.pick(sides));
export const judge = (problem, { text }) => ({ answer: text, isRight: text === 'c', parts: { hint: 1 } });
export const view = (problem, sees) => sees.length > 0 ? problem.hidden.side : 'a';
export const heldOut = (random, level, count) =>
  random.shuffle(['a', 'b', 'c']).map((shown) => problem(shown, random.pick(sides))).slice(0, count);
export const ceiling = (level, sees) => (sees.length > 0 ? 1 : 0.5);
export const bestGuess = (level, count) => 1 / count;
export const limits = (level, { roles }) => ({ roundLimit: level, windows: roles.map(() => 4), promptWindow: 8 });
export const read = ({ shown, hidden }) => {
  if (!sides.includes(hidden.side)) throw new Error('the side: expected yes or no.');
  return problem(shown.trim(), hidden.side);
};
export const isPlain = ({ answer }) => answer === 'yes';
export const demonstrate = (random, problem) => [{ agent: 0, text: problem.answer, score: 1 }];
export const open = () => ({ state: 3, observation: { source: 'world', text: 'b' } });
export const react = (problem, state) => ({ state: state + 1, isOver: state > 3 });
export const assess = (problem, messages, { roles }, isOver) => ({
  perTurn: messages.map(({ text, reaction }) => ({ parts: { hint: 0.5, finished: 1 }, reason: isOver ? 'over' : '' })),
  answer: 'yes', isRight: true, potentials: [0, ...messages.map(() => 1)],
});
export const chat = (problem, { role }) => [{ role: 'user', content: role + ' ' + problem.shown }];
`;
const noPrompts = { usual: [], chosen: {} };
const draws = () => new Draws(1, streams.control, 1);
const said: Utterance = { role: 'reasoning', agent: 0, text: ' c', isFinish: false };
const alone = { ...parseConfig({}).agents, protocol: 'single' } as const;

it('each export replaces its default', async () => {
  const world = await customWorld(whole);
  const protocol = protocolOf(alone, world);
  const problem = world.draw(2, draws(), 'training');
  expect(problem).toMatchObject({ id: `a b${problem.answer}`, world: 'trial', level: 2, slice: '', given: null });
  expect(world.splits).toEqual(['training', 'heldOut', 'harder']);
  const heldOut = world.heldOut(1, 3);
  expect(heldOut.map(({ shown }) => shown).sort()).toEqual(['a', 'b', 'c']);
  expect(world.heldOut(1, 2)).toEqual(heldOut.slice(0, 2));
  expect([world.ceiling(1, []), world.ceiling(1, ['side']), world.bestGuess?.(1, 4)]).toEqual([0.5, 1, 0.25]);
  expect(world.limits(2, protocol)).toEqual({ roundLimit: 2, windows: [4], promptWindow: 8 });
  expect([world.view(problem, []), world.view(problem, ['side'])]).toEqual([
    '<bos> a<eot>',
    `<bos> ${problem.answer}<eot>`,
  ]);
  expect(world.isPlain?.(problem)).toBe(problem.answer === 'yes');
  const shown = world.demonstrate(problem, draws(), { goodPlans: 1, resultNoise: 0 }, protocol);
  expect(shown).toEqual([{ agent: 0, round: 0, message: ` ${problem.answer}<eot>`, score: 1 }]);
  expect(await world.judge(problem, said)).toEqual({ answer: 'c', isRight: true, score: 1 });
  expect(await world.open?.(problem)).toEqual({ state: 3, observation: { source: 'world', text: ' b' } });
  expect(await world.react?.(problem, 4, said)).toEqual({ state: 5, isOver: true });
  expect(await world.assess(problem, [said], protocol)).toEqual({
    perTurn: [{ parts: { hint: 0.5, finished: 1 }, reason: ['over'] }],
    ...{ answer: 'yes', isRight: true, potentials: [0, 1] },
  });
  expect(world.inWords?.window).toBe(9);
  const speaker = { agent: 0, role: 'reasoning', duty: 'answer', sees: [], heard: [] } as const;
  expect(world.inWords?.chat(problem, speaker, noPrompts)).toEqual([{ role: 'user', content: 'reasoning a b' }]);
});

it('a typed problem is accepted, or refused with the message of the module', async () => {
  const world = await customWorld(whole);
  const asked = { shown: ' a c ', hidden: { side: 'no' } };
  expect(world.read?.(asked, 1)).toMatchObject({ id: 'a cno', world: 'trial', level: 1, answer: 'no' });
  expect(() => world.read?.({ ...asked, hidden: {} }, 1)).toThrow(
    expect.objectContaining({ name: 'FormatError', message: 'the side: expected yes or no.' }) as Error,
  );
});

it('shared random numbers continue from call to call, like those of a built-in world', async () => {
  const world = await customWorld(whole);
  const [there, here] = [draws(), draws()];
  const drawn = Array.from({ length: 50 }, () => world.draw(1, there, 'training').answer);
  expect(drawn).toEqual(Array.from({ length: 50 }, () => here.pick(['yes', 'no'])));
  expect(there.next()).toBe(here.next());
});

it('the room for texts may differ between levels', async () => {
  const world = await customWorld(whole.replace(/^export const limits.*$/m, '').replace("'a';", "'a b c a';"));
  const limits = (level: number) => world.limits(level, protocolOf(alone, world));
  expect(limits(1)).toMatchObject({ windows: [2], promptWindow: 5, observationWindow: 1 });
  expect(limits(2)).toMatchObject({ windows: [3], promptWindow: 6, observationWindow: 2 });
  expect(world.view(world.draw(2, draws(), 'training'), [])).toBe('<bos> a b c a<eot>');
  expect(() => world.view(world.draw(1, draws(), 'training'), [])).toThrow(/has 4 words, but about.room.prompt is 3/);
});

describe('a fault is reported with the name of the export', () => {
  const faulty = async (from: string | RegExp, to: string) => {
    const world = await customWorld(whole.replace(from, to));
    return { world, problem: world.draw(1, draws(), 'training'), protocol: protocolOf(alone, world) };
  };

  it('if a result has a wrong type or range', async () => {
    const one = await faulty('roundLimit: level', 'roundLimit: 0');
    expect(() => one.world.limits(1, one.protocol)).toThrow(
      /^trial: limits: its result.roundLimit: expected >=1, got 0/,
    );
    const two = await faulty('1 / count', '2');
    expect(() => two.world.bestGuess?.(1, 4)).toThrow(/^trial: bestGuess: its result: expected <=1, got 2/);
    const three = await faulty("answer === 'yes'", 'answer');
    expect(() => three.world.isPlain?.(three.problem)).toThrow(/^trial: isPlain: its result: expected boolean/);
    const four = await faulty("role: 'user'", "role: 'me'");
    const speaker = { agent: 0, role: 'reasoning', duty: 'answer', sees: [], heard: [] } as const;
    expect(() => four.world.inWords?.chat(four.problem, speaker, noPrompts)).toThrow(
      /^trial: chat: its result.0.role: expected/,
    );
    const five = await faulty('.slice(0, count)', '[0].shown');
    expect(() => five.world.heldOut(1, 2)).toThrow(/^trial: heldOut: its result: expected Array, got "/);
  });

  it('if an assessment lacks turns, or rewards an unknown part', async () => {
    const assessed = async (from: string, to: string) => {
      const { world, problem, protocol } = await faulty(from, to);
      return world.assess(problem, [said], protocol);
    };
    await expect(assessed('potentials: [0, ', 'potentials: [')).rejects.toThrow(
      /^trial: assess returns 1 turns and 1 potentials for 1 messages/,
    );
    await expect(assessed('hint: 0.5', 'bonus: 1')).rejects.toThrow(/^trial: assess returns a reward for “bonus”/);
    await expect(assessed('hint: 0.5', 'hint: 5')).rejects.toThrow(/^trial: assess: its result.perTurn.0.parts.hint/);
  });

  it('if a typed problem causes an error that is not a refusal', async () => {
    const { world } = await faulty("throw new Error('the side: expected yes or no.')", 'null.x');
    expect(() => world.read?.({ shown: 'a', hidden: {} }, 1)).toThrow(/^trial: read: TypeError/);
  });

  it.each([
    ['no vocabulary', /words: \[.*\], hidden/, 'hidden', /^trial: about\.words: declare/],
    ['no lengths', /room: \[.*\] \}/, '}', /^trial: about\.room: declare/],
    ['tokenizers that are none', /$/, 'export const tokenizers = 3;', /^your world: tokenizers: expected Object/],
  ] as const)('if a module has %s', async (_, from, to, message) => {
    const source = whole.replace(/^export const limits.*$/m, '').replace(from, to);
    await expect(customWorld(source)).rejects.toMatchObject({
      ...{ name: 'ConfigError', message: expect.stringMatching(message) as string },
    });
  });
});
