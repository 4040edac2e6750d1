import { describe, expect, it } from 'vitest';
import { reasonInEnglish } from '../../../base/spoken.ts';
import { Draws, streams } from '../../../base/random.ts';
import { parseConfig } from '../../../config/parse.ts';
import type { Problem } from '../../../records/problem.ts';
import { protocolOf } from '../../../records/protocol.ts';
import type { Reaction } from '../../../records/trajectory.ts';
import { battery } from '../../../tasks/testing/battery.ts';
import type { Utterance } from '../../../tasks/world.ts';
import { world as memory } from './world.ts';
import { callBack } from './notes.ts';

battery(memory, ['memoryLoop', 'memoryAlone']);

const problem: Problem = {
  ...{ id: 'by hand', world: 'memory', level: 3, shown: 'Where is ball?', answer: 'hall', slice: 'last' },
  hidden: { text: 'Ann in hall. Ben in den. Max likes tea. Ida in barn. Ann has ball.' },
  given: {
    pieces: [' Ann in hall. Ben in den.', ' Max likes tea. Ida in barn.', ' Ann has ball.'],
    facts: [' Ann in hall.', ' Ann has ball.'],
    conclusion: ' ball in hall.',
  },
};
const protocol = protocolOf({ ...parseConfig({}).agents, protocol: 'memoryLoop' }, memory);
const note = (text: string): Utterance => ({ role: 'metaThinking', agent: 0, text, isFinish: false });
const reply = (text: string): Utterance => ({ role: 'reasoning', agent: 1, text, isFinish: false });

const notes = [' Ann in hall. Ben in den.', ' Ida in barn.', ' Ann has ball.<recall> Ann', ' ball in hall.'];
const answers = [' unknown', ' unknown', ' unknown', ' hall'];
const read = notes.flatMap((text, i) => [note(text), reply(answers[i] as string)]);

/** The reactions of the world to the messages, in the order of the messages. */
async function reactions(messages: readonly Utterance[]): Promise<Reaction[]> {
  const out = [(await memory.open?.(problem)) as Reaction];
  for (const message of messages) out.push((await memory.react?.(problem, out.at(-1)?.state, message)) as Reaction);
  return out;
}

describe('a text read piece by piece', () => {
  it('is shown only to the reader, and a recalled note precedes the next piece', async () => {
    const shown = await reactions(read);
    expect(shown.flatMap(({ observation }) => observation ?? [])).toEqual(
      [
        '<text> Ann in hall. Ben in den.',
        '<text> Max likes tea. Ida in barn.',
        '<text> Ann has ball.',
        '<recall> Ann in hall. Ben in den.<end>',
      ].map((text) => ({ source: 'text', text, readers: [0] })),
    );
    expect(shown.map(({ isOver }) => isOver === true)).toEqual(shown.map((_, i) => i === read.length));
  });

  it('is never shown as a whole to any agent', () => {
    expect(protocol.sees.map((sees) => memory.view(problem, sees))).toEqual([
      '<bos> Where is ball?<eot>',
      '<bos> Where is ball?<eot>',
    ]);
    expect(memory.ceiling(1, [])).toBe(1 / 8);
  });

  it('is solved by recalling a note that was overwritten before its relevance was known', () => {
    const options = { goodPlans: 1, resultNoise: 0 };
    const said = memory.demonstrate(problem, new Draws(1, streams.demonstrations, 0), options, protocol);
    expect(said.map(({ message }) => message.replace('<eot>', ''))).toEqual(read.map(({ text }) => text));
  });

  it('returns no note if recall is switched off, and then gives no reward for recalls', async () => {
    const without = memory.under?.({ recall: false }) ?? memory;
    const [last] = read.slice(4, 5);
    const before = (await reactions(read.slice(0, 4))).at(-1)?.state;
    expect(last?.text).toContain('<recall>');
    const reaction = await without.react?.(problem, before, last as Utterance);
    expect(reaction?.observation?.text).toBe('<end>');
    const { perTurn } = await without.assess(problem, read, protocol);
    expect(perTurn.map(({ parts }) => parts['calledBack'] ?? 0)).toEqual(read.map(() => 0));
    expect(memory.under?.({ recall: true })).toBe(memory);
  });

  it('can be read by a single agent, whose answer replaces the last note', async () => {
    const one = protocolOf({ ...parseConfig({}).agents, protocol: 'memoryAlone' }, memory);
    const options = { goodPlans: 1, resultNoise: 0 };
    const said = memory.demonstrate(problem, new Draws(1, streams.demonstrations, 0), options, one);
    const own = [...notes.slice(0, -1), ' hall'];
    expect(said.map(({ message }) => message.replace('<eot>', ''))).toEqual(own);
    const messages = own.map((text): Utterance => ({ role: 'reasoning', agent: 0, text, isFinish: false }));
    const shown = await reactions(messages);
    expect(shown.map(({ observation }) => observation?.text.replace(/ .*/, ''))).toEqual([
      '<text>',
      '<text>',
      '<text>',
      '<recall>',
      undefined,
    ]);
    expect(shown.map(({ isOver }) => isOver === true)).toEqual([false, false, false, false, true]);
    const { isRight, answer, perTurn } = await memory.assess(problem, messages, one);
    expect([isRight, answer, perTurn.at(-1)?.parts]).toEqual([
      true,
      'hall',
      { format: 1, rightAnswer: 1, finished: 1 },
    ]);
    const early = await memory.assess(problem, messages.slice(0, 2), one);
    expect(reasonInEnglish(early.perTurn.at(-1)?.reason ?? [])).toContain('not finished');
  });

  it('is four and sixteen times as long where memory is put to the test', () => {
    const draws = new Draws(3, streams.problems, 0);
    const pieces = (level: number, split: 'training' | 'harder') =>
      (memory.draw(level, draws, split).given as { pieces: string[] }).pieces.length;
    expect([pieces(3, 'training'), pieces(3, 'harder'), pieces(4, 'training'), pieces(4, 'harder')]).toEqual([
      7, 28, 28, 112,
    ]);
  });
});

it('a reader without recall can answer few questions on a long text, whatever it keeps', () => {
  const told = (level: number, split: 'training' | 'harder') => memory.under?.({ recall: false }).most?.(level, split);
  expect(told(1, 'training')).toBeCloseTo(1, 9);
  expect(told(2, 'training')).toBeCloseTo(1, 9);
  // If a relevant fact lies in the last piece, the other fact is equally likely to be in any of five pieces; otherwise,
  // in any of three or four. The best strategy is to keep the fact of the first piece.
  const first = 1 / 2 / 5 + 1 / 7;
  expect(told(3, 'training')).toBeCloseTo(first + (1 - first) / 8, 9);
  expect(told(4, 'training')).toBeLessThan(0.18);
  expect(told(4, 'harder')).toBeLessThan(0.14);
});

it('recall returns the earlier note with most shared words, the newest of equals, or nothing', () => {
  const earlier = [' Ann in hall. Ben in den.', ' Ben in barn.', ' Ann in den. Ida in hall.'];
  expect(callBack(earlier, ' Ann')).toBe(earlier[2]);
  expect(callBack(earlier, ' Ben den')).toBe(earlier[0]);
  expect(callBack(earlier, ' Max')).toBe('');
  expect(callBack([], ' Ann')).toBe('');
});

describe('the assessment of a reading', () => {
  it('is right if the last answer is right, and Φ is the share of relevant facts in each note', async () => {
    const { perTurn, potentials, ...whole } = await memory.assess(problem, read, protocol);
    expect(whole).toEqual({ answer: 'hall', isRight: true });
    expect(potentials).toEqual([0, 0.5, 0.5, 0, 0, 0.5, 0.5, 1, 1]);
    const parts = perTurn.filter((_, t) => t % 2 === 0).map(({ parts: of }) => [of['kept'], of['calledBack']]);
    expect(parts).toEqual([
      [0.75, 0],
      [0.25, 0],
      [0.75, 0.5],
      [0.75, 0],
    ]);
    expect(perTurn.at(-1)).toMatchObject({ parts: { rightAnswer: 1, finished: 1, format: 1 } });
    expect(perTurn.map(({ reason }) => reasonInEnglish(reason)).filter(Boolean)).toEqual([
      'the part of “Ann in hall.” that mattered is not in the note',
      'called back Ann in hall. Ben in den.',
      'the answer is hall',
    ]);
  });

  it.each<[string, Utterance[], string]>([
    ['no note', [note('. in in')], '. in in is not a note; not finished; no room was given'],
    ['a cut note', [{ ...note(' Ann'), isTruncated: true }], 'the note was cut; not finished; no room was given'],
    ['no room', [note(' nothing.'), reply(' Ann')], ' Ann is not a room; not finished; no room was given'],
    ['the wrong room', [...read.slice(0, -1), reply(' den')], 'the answer was hall, but den was given'],
  ])('gives the reason in words for %s', async (_, messages, reason) => {
    const { isRight, perTurn } = await memory.assess(problem, messages, protocol);
    expect([isRight, reasonInEnglish(perTurn.at(-1)?.reason ?? [])]).toEqual([false, reason]);
  });
});

it('the demonstrations contain the requested share of readers that forget nothing', async () => {
  const draws = new Draws(1, streams.demonstrations, 0);
  let right = 0;
  for (let i = 0; i < 400; i++) {
    const asked = memory.draw(1, draws, 'training');
    const said = memory.demonstrate(asked, draws, { goodPlans: 0.25, resultNoise: 0 }, protocol);
    const messages = said.map(({ agent, message }) => (agent === 0 ? note : reply)(message.replace('<eot>', '')));
    right += (await memory.assess(asked, messages, protocol)).isRight ? 1 : 0;
  }
  expect(right / 400).toBeGreaterThan(0.2);
  expect(right / 400).toBeLessThan(0.35);
});
