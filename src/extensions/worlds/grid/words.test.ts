import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../config/parse.ts';
import type { ProtocolName } from '../../../config/protocols/facts.ts';
import { protocolsFor } from '../../../config/worlds/rules.ts';
import type { Problem } from '../../../records/problem.ts';
import { protocolOf } from '../../../records/protocol.ts';
import type { Duty } from '../../../tasks/inWords/names.ts';
import { worldInWords, type WordsWorld } from '../../../tasks/inWords/worldInWords.ts';
import * as words from './words.ts';
import { withWords } from '../../../tasks/inWords/inWordsFrom.ts';
import { chatIn, judgesAlike, readsAnyText, type MessageOf } from '../../../tasks/testing/words.ts';
import { world as untold } from './world.ts';

const plain = withWords(untold, words);

const world = plain as WordsWorld;
const problem: Problem = {
  ...{ id: 'a', world: 'grid', level: 1, shown: 'b1', answer: 'd3', slice: 'hindered' },
  hidden: { map: 'Xd3#c1#d2', ground: '<rock>b4' },
  given: { size: 5, start: 'b1', walls: ['c1', 'd2'], rocks: ['b4'], key: null, door: null, beat: [] },
};
const altered: Problem = {
  ...{ ...problem, answer: 'a3', given: { ...(problem.given as object), walls: ['e1'], rocks: ['a2', 'e2'] } },
  hidden: { map: 'Xa3#e1', ground: '<rock>a2e2' },
};
const settings = (protocol: ProtocolName, more = {}) => ({ ...parseConfig({}).agents, count: 3, protocol, ...more });

/** The chat of an agent that has heard these messages. */
const chat = (name: ProtocolName, agent: number, said: readonly MessageOf[] = [], about = problem) =>
  chatIn(plain, about, [name, agent, said]);
const lastOf = (...given: Parameters<typeof chat>) => chat(...given).at(-1)?.content;

const read = (duty: Duty, text: string, about: Problem = problem) =>
  world.inWords.fromWords(about, { role: 'reasoning', agent: 0, duty, text });

describe('the chat', () => {
  const field =
    'A treasure is buried in a field with the cells a1 to e5. Letters go from west to east, and numbers from south to north.';
  const map = 'The treasure is at d3, 2 steps east and 2 steps north of the start. There are walls at c1, d2.';
  const plan =
    'Name the next one or two steps with the words north, east, south and west, separated by commas. Add dig if these steps lead to the treasure.';
  const path =
    'Write the whole path from b1 to the treasure with the words north, east, south, west and wait, separated by commas. End with dig.';

  it('of a planner contains the map, and asks for the next steps', () => {
    expect(
      chat('reMA', 0, [
        [0, 'north, east'],
        [1, 'b2, c2'],
      ]),
    ).toEqual([
      {
        role: 'system',
        content: 'You are the planner of a team. You tell the reasoner where to walk and where to dig.',
      },
      { role: 'user', content: `${field} The reasoner starts at b1. ${map} ${plan}` },
      { role: 'assistant', content: 'north, east' },
      { role: 'user', content: `The reasoner says: "b2, c2" ${plan}` },
    ]);
  });

  it('of a walker contains the plan and what it sees, and asks for cells', () => {
    expect(
      lastOf('reMA', 1, [
        [0, 'north, east'],
        [null, 'You are at b1.\nnorth: blocked'],
      ]),
    ).toBe(
      `${field} You start at b1. The planner says: "north, east" You look around.\nYou are at b1.\nnorth: blocked\nFollow the plan. Write the cells to which you walk, separated by commas. If the next cell is blocked or the guard is there, stop and write blocked or guard. Add dig only if the plan says dig.`,
    );
  });

  it('of an agent that answers contains what it sees, and asks for the whole path', () => {
    expect(lastOf('single', 0)).toBe(`${field} You start at b1. ${map} There is a rock at b4. ${path}`);
    expect(lastOf('summary', 2, [[0, 'north, dig']])).toBe(
      `${field} You start at b1. A member says: "north, dig" ${path}`,
    );
    expect(
      lastOf('debate', 0, [
        [0, 'north, dig'],
        [1, 'west, dig'],
      ]),
    ).toBe(`The other debater says: "west, dig" Consider what was said. ${path}`);
  });

  it('mentions a key, a door and a guard', () => {
    const hidden = { map: 'Xb1#a3<key>b3<door>c4', ground: '<rock>b4e4<guard>c1d1e1' };
    expect(lastOf('single', 0, [], { ...problem, level: 3, hidden })).toContain(
      'The treasure is at b1, at the start. There is a wall at a3. The key is at b3. Without the key, the door at c4 is closed. There are rocks at b4, e4. A guard walks from c1 to d1 to e1 and back, one cell with each of your steps. Write',
    );
    const none = { map: 'Xd1', ground: '' };
    expect(lastOf('single', 0, [], { ...problem, hidden: none })).toContain('d1, 2 steps east of the start. Write');
  });

  it.each(protocolsFor(plain))('depends only on the texts that the agent sees (%s)', (name) => {
    for (const [agent, sees] of protocolOf(settings(name), world).sees.entries()) {
      for (const text of Object.keys(problem.hidden)) {
        const other = { ...altered, hidden: { ...problem.hidden, [text]: altered.hidden[text]! } };
        const isEqual = JSON.stringify(chat(name, agent)) === JSON.stringify(chat(name, agent, [], other));
        expect(isEqual).toBe(!sees.includes(text));
      }
    }
  });
});

describe('a message', () => {
  it.each<[Duty, string, string, boolean?]>([
    ['plan', 'north, east', 'NE', true],
    ['plan', 'north, east, dig', 'NEdig', true],
    ['plan', 'dig', 'dig', true],
    ['plan', 'Go North and then EAST.', 'NE'],
    ['plan', 'Walk two steps north, then dig!', 'NNdig'],
    ['plan', 'north-east', 'NE'],
    ['plan', 'east 2 steps', 'EE'],
    ['plan', '1. south\n2. west', 'SW'],
    ['plan', 'NEdig', 'NEdig'],
    ['plan', 'up, then right', 'NE'],
    ['plan', 'north to b2. Do not dig.', 'N'],
    ['plan', 'dig, north', 'dig'],
    ['plan', 'I see nothing new.', 'I see nothing new.'],
    ['plan', 'wait', 'wait'],
    ['plan', '', ''],
    ['step', 'b2, c2', 'b2c2', true],
    ['step', 'b2, c2, dig', 'b2c2dig', true],
    ['step', 'b2, blocked', 'b2blocked', true],
    ['step', 'guard', 'guard', true],
    ['step', 'wait', 'wait', true],
    ['step', 'I am at b1. I walk to B2, then to c2 and dig at c2.', 'b2c2dig'],
    ['step', 'b2 - a rock stops me', 'b2blocked'],
    ['step', 'b2, no guard, c2', 'b2c2'],
    ['step', 'b2c2dig', 'b2c2dig'],
    ['step', 'north, east', 'north, east'],
    ['step', 'h9', 'h9'],
    ['answer', 'north, east, wait, east, north, dig', 'b2c2waitd2d3dig', true],
    ['answer', 'd5, west, dig', 'd5c5dig', true],
    ['answer', 'north, east', 'b2c2'],
    ['answer', 'From b1 go north to b2, then 2 steps east. Dig at d2.', 'b2c2d2dig'],
    ['tell', 'b2, c2, dig', 'b2c2dig'],
    ['answer', 'b2c2dig', 'b2c2dig'],
    ['answer', 'The treasure is at d3.', 'The treasure is at d3.'],
    ['answer', 'd3', 'd3'],
    ['answer', 'south, dig', 'b7dig'],
    ['answer', 'Do not go north', 'Do not go north'],
  ])('of the duty %s, “%s”, is read as %s', (duty, text, expected, isExact = false) => {
    expect(read(duty, text)).toEqual({ text: expected, isExact });
    expect(read(duty, text, altered)).toEqual({ text: expected, isExact });
  });

  it('leads nowhere if it leads over the edge', async () => {
    const walk = { role: 'reasoning', agent: 0, isFinish: false } as const;
    for (const text of ['south, dig', 'west, west, north, dig', 'north, north, north, north, north, dig']) {
      const said = { ...walk, text: read('answer', text).text };
      expect(await world.judge(problem, said)).toMatchObject({ answer: null, isRight: false });
    }
  });

  readsAnyText(
    plain,
    plain.levels.map(({ level }) => ({ ...problem, level })),
    [
      'north',
      ' East',
      ' S',
      'W',
      ' to ',
      'b2',
      'c1',
      ', ',
      ' 2 ',
      ' steps',
      ' twice',
      'wait',
      ' dig',
      ' not',
      ' at ',
      'blocked',
      ' guard',
      ' no ',
      'up',
    ],
  );
});

it('what a walker sees is a list of the cells around it', async () => {
  const protocol = protocolOf(settings('reMA'), world);
  const plan = { role: 'metaThinking', agent: 0, text: 'north', isFinish: false } as const;
  const seen = await worldInWords(world, protocol).react?.(problem, null, plan);
  expect(seen?.observation?.text).toBe(
    [
      'You are at b1.',
      'north: b2 (then east: c2, west: a2)',
      'east: blocked',
      'south: blocked',
      'west: a1 (then north: a2, south: blocked)',
    ].join('\n'),
  );
  expect(world.inWords.observedInWords(problem, 'd4@N!S@WN!WS')).toBe(
    'You are at d4.\nnorth: guard\neast: e4 (then north: e5, south: e3)\nsouth: blocked\nwest: c4 (then north: guard, south: blocked)',
  );
  expect(world.inWords.observedInWords(problem, ' d4? ')).toBe('d4?');
});

judgesAlike(plain, { isSame: false });
