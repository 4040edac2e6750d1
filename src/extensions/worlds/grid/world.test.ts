import { describe, expect, it } from 'vitest';
import { because } from '../../../base/reason.ts';
import { reasonInEnglish } from '../../../base/spoken.ts';
import { Draws, streams } from '../../../base/random.ts';
import type { ProtocolName } from '../../../config/protocols/facts.ts';
import type { Problem } from '../../../records/problem.ts';
import { battery } from '../../../tasks/testing/battery.ts';
import { inProtocol } from '../../../tasks/testing/trajectories.ts';
import type { Utterance } from '../../../tasks/world.ts';
import { world as grid } from './world.ts';
import { groundOf } from './ground.ts';
import { readPlan, replyTo } from './solver.ts';
import { sight, standing, walk } from './walk.ts';

battery(grid, ['reMA', 'single', 'debate', 'summary']);

const problem: Problem = {
  ...{ id: 'by hand', world: 'grid', level: 1, shown: 'b1', answer: 'd3', slice: 'hindered' },
  hidden: { map: 'Xd3#c1', ground: '<rock>c3' },
  given: { size: 5, start: 'b1', walls: ['c1'], rocks: ['c3'], key: null, door: null, beat: [] },
};
const protocol = (name: ProtocolName) => inProtocol(grid, name);
const plan = (text: string): Utterance => ({ role: 'metaThinking', agent: 0, text, isFinish: false });
const reply = (text: string): Utterance => ({ role: 'reasoning', agent: 1, text, isFinish: false });

describe('the knowledge of the agents', () => {
  it('contains the map for the planner, only the start for the walker, and everything for a single agent', () => {
    const views = (name: ProtocolName) => protocol(name).sees.map((sees) => grid.view(problem, sees));
    expect(views('reMA')).toEqual(['<bos>Xd3#c1b1<eot>', '<bos>b1<eot>']);
    expect(views('single')).toEqual(['<bos>Xd3#c1<rock>c3b1<eot>']);
  });

  it('includes what the walker sees after each plan, for the walker only', async () => {
    const seen = await grid.react?.(problem, null, plan('NE'));
    expect(seen?.observation).toEqual({ source: 'sight', text: 'b1!E!S!WS', readers: [1] });
    const walked = await grid.react?.(problem, seen?.state, reply('b2c2'));
    expect(walked).toMatchObject({ state: { cell: 7 + 2 } });
    expect(walked?.observation).toBeUndefined();
    const next = await grid.react?.(problem, walked?.state, plan('NEdig'));
    expect(next?.observation?.text).toBe('c2!N!S');
    expect(await grid.react?.(problem, next?.state, reply('d2d3dig'))).toMatchObject({ isOver: true });
  });

  it('does not grow without a planner, because a path is then an answer', async () => {
    expect(await grid.react?.(problem, null, { ...reply('b2dig'), agent: 0 })).toEqual({ state: null });
  });

  it('without the map gives a right answer in at most a seventh of the problems', () => {
    const blind = [1, 2, 3].map((level) => grid.ceiling(level, []));
    for (const ceiling of blind) expect(ceiling).toBeLessThan(0.15);
    expect(grid.ceiling(1, ['ground'])).toBe(blind[0]);
    expect(grid.ceiling(1, ['map'])).toBe(1);
  });
});

describe('the assessment of a walk', () => {
  const walkedWell = [plan('NE'), reply('b2c2'), plan('NE'), reply('blocked'), plan('ENdig'), reply('d2d3dig')];

  it('is right if the treasure is dug up, and Φ rises with each step towards it', async () => {
    const { perTurn, answer, isRight, potentials } = await grid.assess(problem, walkedWell, protocol('reMA'));
    expect({ answer, isRight }).toEqual({ answer: 'd3', isRight: true });
    expect(potentials).toEqual([1 / 5, 1 / 5, 1 / 3, 1 / 3, 1 / 3, 1 / 3, 1]);
    expect(perTurn.map(({ parts }) => [parts['openWay'], parts['asTold'], parts['format']])).toEqual([
      ...[
        [1, 0, 1],
        [0, 1, 1],
        [1, 0, 1],
        [0, 1, 1],
        [1, 0, 1],
        [0, 1, 1],
      ],
    ]);
    expect(perTurn.at(-1)).toMatchObject({
      parts: { rightAnswer: 1, finished: 1 },
      reason: because`the treasure was at ${'d3'}`,
    });
  });

  it.each<[string, Utterance[], string]>([
    [
      'a step into a rock',
      [plan('NE'), reply('b2c2'), plan('N'), reply('c3')],
      'walked into a rock at c3; the treasure is still at d3',
    ],
    ['a hole elsewhere', [plan('Ndig'), reply('b2dig')], 'the walker dug at b2, but the treasure was at d3'],
    ['no digging', [plan('NE'), reply('b2c2')], 'nobody dug; the treasure is still at d3'],
    [
      'another way than was planned',
      [plan('NE'), reply('b2')],
      'b2c2 was expected, but b2 was given; nobody dug; the treasure is still at d3',
    ],
    ['a plan into a wall', [plan('E')], 'c1 is a wall on the map; nobody dug; the treasure is still at d3'],
    [
      'a finish',
      [{ ...plan(''), isFinish: true }],
      'the planner finished, but nobody has dug; nobody dug; the treasure is still at d3',
    ],
  ])('gives the reason in words for %s', async (_, messages, reason) => {
    const { isRight, perTurn } = await grid.assess(problem, messages, protocol('reMA'));
    expect(isRight).toBe(false);
    expect(reasonInEnglish(perTurn.at(-1)?.reason ?? [])).toBe(reason);
  });

  it('gives a plan the prospect that the best walker reaches with it', async () => {
    const { prospect } = await grid.assess(problem, [plan('NE')], protocol('reMA'));
    expect(prospect).toBe(1 / 3);
  });

  it('of a single agent applies to the whole path', async () => {
    const alone = { ...reply('b2c2d2d3dig'), agent: 0 };
    expect(await grid.assess(problem, [alone], protocol('single'))).toMatchObject({ answer: 'd3', isRight: true });
    expect(await grid.judge(problem, { ...alone, text: 'b2dig' })).toEqual({
      answer: 'b2',
      isRight: false,
      score: 1 / 4,
    });
  });
});

it.each<[string, object]>([
  ['b2c2d2d3dig', { openWay: 1, asTold: 1 }],
  ['b2c2c3d3dig', { openWay: 1, asTold: 0 }], // a rock is on no map
  ['c1dig', { openWay: 0 }],
  ['d3dig', { openWay: 0, asTold: 0 }],
  ['b2a2a3a4a5a6dig', { openWay: 0 }],
])('a single agent is rewarded for a path that is open on the map: %s', async (text, parts) => {
  const { perTurn } = await grid.assess(problem, [{ ...reply(text), agent: 0 }], protocol('single'));
  expect(perTurn[0]?.parts).toMatchObject(parts);
});

it.each([1, 2, 3])('the reply of a walker depends only on its plan and on what it sees (level %i)', (level) => {
  const draws = new Draws(4, streams.problems, level);
  const said = new Map<string, string>();
  const plans = ['N', 'E', 'S', 'W'].flatMap((a) => [a, ...['N', 'E', 'S', 'W'].flatMap((b) => [a + b, `${a + b}S`])]);
  for (let i = 0; i < 300; i++) {
    const ground = groundOf(grid.draw(level, draws, 'training'));
    for (let now = standing(ground), t = 0; t < 4; t++) {
      const seen = sight(ground, now);
      for (const text of plans) {
        const answer = replyTo(ground, now, readPlan(text));
        expect(said.get(`${seen} ${text}`) ?? answer, `${seen} ${text}`).toBe(answer);
        said.set(`${seen} ${text}`, answer);
        expect(walk(ground, now, answer).standing.end).toBeNull();
      }
      now = walk(ground, now, replyTo(ground, now, readPlan(draws.pick(plans)))).standing;
    }
  }
});

it('the demonstrations always dig, and reach the treasure in the share of good plans', async () => {
  const draws = new Draws(1, streams.demonstrations, 0);
  const team = protocol('reMA');
  let right = 0;
  for (let i = 0; i < 400; i++) {
    const asked = grid.draw(1, draws, 'training');
    const said = grid.demonstrate(asked, draws, { goodPlans: 0.25, resultNoise: 0 }, team);
    const messages = said.map(({ agent, message }) => (agent === 0 ? plan : reply)(message.replace('<eot>', '')));
    const { isRight, answer } = await grid.assess(asked, messages, team);
    expect(answer).not.toBeNull();
    right += isRight ? 1 : 0;
  }
  expect(right / 400).toBeGreaterThan(0.25);
  expect(right / 400).toBeLessThan(0.4);
});
