import { describe, expect, it } from 'vitest';
import { reasonInEnglish } from '../../../base/spoken.ts';
import { Draws, streams } from '../../../base/random.ts';
import { battery } from '../../../tasks/testing/battery.ts';
import { trajectoryAbout } from '../../../tasks/testing/trajectories.ts';
import { world } from './world.ts';
import { problemOf, relationsOf } from './problems.ts';
import { solve } from './solution.ts';

battery(world, ['reMA', 'single', 'pioneerObserver', 'debate', 'vote', 'summary']);

const problem = problemOf(1, '3x-4=11;2y+5=9', 'y');

const { dialogue, reasons, alone: said } = trajectoryAbout(world, problem);

it('an agent that sees the asked unknown reads it before the equations', () => {
  expect(world.view(problem, ['asked'])).toBe('<bos>y?3x-4=11;2y+5=9<eot>');
  expect(world.view(problem, [])).toBe('<bos>3x-4=11;2y+5=9<eot>');
});

describe('a dialogue', () => {
  const right = ['(2)-5<eot>', '2y=4<eot>', '/2<eot>', 'y=2<eot>', '<finish>'];

  it('that finds the asked unknown earns every part', async () => {
    const { perTurn, answer, isRight, potentials } = await dialogue(right);
    expect({ answer, isRight, potentials }).toEqual({ answer: 'y=2', isRight: true, potentials: [1, 1, 1, 1, 1, 1] });
    expect(
      perTurn.map(({ parts }) => [parts['legalMove'], parts['rewrite'], parts['format'], parts['finished']]),
    ).toEqual([
      [1, 0, 1, 0],
      [0, 1, 1, 0],
      [1, 0, 1, 0],
      [0, 1, 1, 0],
      [0, 0, 1, 1],
    ]);
    expect(perTurn.map(({ reason }) => reasonInEnglish(reason))).toEqual(['', '', '', '', 'the answer is y=2']);
  });

  it('that finds the other unknown has legal steps and a wrong answer', async () => {
    const { perTurn, isRight, potentials } = await dialogue([
      '(1)+4<eot>',
      '3x=15<eot>',
      '/3<eot>',
      'x=5<eot>',
      '<finish>',
    ]);
    expect({ isRight, potentials }).toEqual({ isRight: false, potentials: [1, 1, 0, 0, 0, 0] });
    expect(perTurn.map(({ reason }) => reasonInEnglish(reason))).toEqual([
      '',
      '',
      '',
      '',
      'the answer was y=2, but x=5 was given',
    ]);
    expect((await dialogue(['(1)+4<eot>'], false)).prospect).toBe(0);
    expect((await dialogue(['(2)+4<eot>'], false)).prospect).toBe(1);
  });

  it('may start again', async () => {
    const raws = ['(1)+4<eot>', '3x=15<eot>', '(2)-5<eot>', '2y=4<eot>', '/2<eot>', 'y=2<eot>', '<finish>'];
    expect(await dialogue(raws)).toMatchObject({ isRight: true, potentials: [1, 1, 0, 0, 1, 1, 1, 1] });
  });

  it('gives the reason for each wrong step', async () => {
    expect(await reasons('(2)-5<eot>', '2y=5<eot>', '/2<eot>', 'y=2<eot>')).toEqual([
      ...['', '2y=4 was expected, but 2y=5 was given', '2y=5 divided by 2 leaves a remainder'],
      'there was no plan to follow; not finished; the answer is y=2',
    ]);
    expect(await reasons('-5<eot>', '2y=4', '<finish>')).toEqual([
      ...['-5 does not say to which of the two it applies', 'the reply was cut'],
      'the answer was y=2, but no answer was given',
    ]);
    expect((await reasons('(2)-5<eot>', '2y=4<eot>', '<finish>'))[2]).toContain(
      'the planner finished although 2y=4 is left to do',
    );
  });
});

describe('an answer in one turn', () => {
  it('is its last piece, and its moves are parts of its reward', async () => {
    const all = { legalMove: 1, rewrite: 1, rightAnswer: 1, finished: 1, format: 1 };
    expect(await said('(2)-5;2y=4;/2;y=2<eot>')).toMatchObject({ answer: 'y=2', isRight: true, score: 1, parts: all });
    expect(await said('(1)+4;3x=15;/3;x=5<eot>')).toMatchObject({ answer: 'x=5', isRight: false, score: 0.75 });
    expect(await said('(2)-5;2y=6;/2;y=3<eot>')).toMatchObject({ score: 0, parts: { legalMove: 1, rewrite: 0 } });
  });

  it('that was cut or is incomplete counts as no answer', async () => {
    expect(await said('(2)-5;2y=4;/2;y=2')).toMatchObject({ answer: null, isRight: false, score: 0 });
    expect(await said('(2)-5;2y=4;/2<eot>')).toMatchObject({ answer: null, isRight: false, parts: { format: 0 } });
  });
});

describe('a problem', () => {
  it('of each level can be solved within its limit of moves', () => {
    const plans = (shown: string, asked: 'x' | 'y') =>
      solve(relationsOf({ shown }), asked, { draws: null, noise: 0 }).map(({ plan, reply }) => `${plan} ${reply}`);
    expect(plans('5x+2=3x+8;2y-1=y+4', 'x')).toEqual(['(1)-3x 2x+2=8', '-2 2x=6', '/2 x=3']);
    expect(plans('x+2y=8;x-y=2', 'x')).toEqual(['(1)+2(2) 3x=12', '/3 x=4']);
    expect(plans('x+2y=8;x-y=2', 'y')).toEqual(['(2)-(1) -3y=-6', '/-3 y=2']);
    expect(plans('-2x+3<9;3y-4>8', 'x')).toEqual(['(1)-3 -2x<6', '/-2 x>-3']);
  });

  it('of the harder split has factors that do not occur in training', () => {
    const draws = new Draws(1, streams.problems, 0);
    for (let i = 0; i < 100; i++) {
      const factors = relationsOf(world.draw(1, draws, 'harder')).map(({ left: [x, y] }) => x + y);
      for (const factor of factors) expect([6, 7, 8, 9]).toContain(factor);
    }
  });
});

it('at most half of the answers are right if no message names the asked unknown', () => {
  for (const { level } of world.levels) {
    expect(world.ceiling(level, [])).toBe(0.5);
    expect(world.ceiling(level, ['asked'])).toBe(1);
  }
});
