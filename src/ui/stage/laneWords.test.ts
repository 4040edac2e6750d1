import { form as entailment } from '../../extensions/worlds/entailment/form.ts';
import { form as houseRule } from '../../extensions/worlds/houseRule/form.ts';
import { form as wordProblems } from '../../extensions/worlds/wordProblems/form.ts';
import { expect, it } from 'vitest';
import { parseConfig } from '../../config/parse.ts';
import { chosenProtocol } from '../../config/protocols/registry.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { castOf } from '../../records/cast.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { castOnShow, seenBy } from '../words.ts';
import { lanesOf, premiseAmong, premiseOf } from './laneWords.ts';

const [rule] = houseRule.hidden;
const cast = (agents: ConfigInput['agents'], world: ConfigInput['world'] = {}) =>
  castOf(parseConfig({ agents, world }));

it('agents of the same role are numbered, and others are named by their roles', () => {
  const names = (agents: ConfigInput['agents']) => lanesOf(cast(agents)).map(({ name }) => name);
  expect(names({})).toEqual(['Planner', 'Reasoner']);
  expect(names({ protocol: 'debate', count: 3 })).toEqual(['Debater 1', 'Debater 2', 'Debater 3']);
  expect(names({ protocol: 'summary', count: 3 })).toEqual(['Reasoner 1', 'Reasoner 2', 'Leader']);
  expect(names({ protocol: 'vote', count: 1 })).toEqual(['Reasoner']);
});

it('a lane states what its agent does or sees', () => {
  const words = (agents: ConfigInput['agents']) => lanesOf(cast(agents)).map(({ does }) => does);
  expect(words({})).toEqual(['plans', 'does the step']);
  expect(words({ protocol: 'single' })).toEqual(['sees everything and answers alone']);
  expect(words({ protocol: 'debate', count: 2 })).toEqual(['sees the rule', 'does not see the rule']);
  const readers = lanesOf(cast({ protocol: 'memoryLoop' }, { name: 'memory' }));
  expect(readers.map(({ does }) => does)).toEqual(['reads and takes notes', 'answers from the notes']);
  expect(readers[1]?.ghost).toBe('Never sees the text as a whole; answers from the notes.');
  const [alone] = lanesOf(cast({ protocol: 'memoryAlone' }, { name: 'memory' }));
  expect(alone?.ghost).toBe('Never sees the text as a whole; reads, takes notes and answers.');
  expect(lanesOf(cast({ protocol: 'pioneerObserver' }))[1]?.ghost).toBe(
    'Never sees the rule, and reads the pioneer’s answer and gives the team’s answer.',
  );
});

it('one sentence states what the team does and which agents see the hidden text', () => {
  const said = (...settings: Parameters<typeof cast>) => {
    const { agents } = parseConfig({ agents: settings[0], world: settings[1] ?? {} });
    const { before, hidden, after } = premiseOf(cast(...settings), chosenProtocol(agents));
    return `${before} ${hidden?.label}${after}`;
  };
  expect(said({})).toBe(
    'The planner sees the rule and says what to do next. The reasoner carries out the plan and never sees the hidden part.',
  );
  expect(said({}, { name: 'code' })).toBe(
    'The planner sees the description and says what to do next. The reasoner, who alone sees the examples, carries out the plan.',
  );
  expect(said({ protocol: 'memoryLoop' }, { name: 'memory' })).toBe(
    'Two agents work on one problem, and neither of the two sees the text as a whole. One agent reads piece by piece and takes notes, and the other answers from the notes.',
  );
  expect(said({ protocol: 'memoryAlone' }, { name: 'memory' })).toBe(
    'One agent reads and takes notes, then answers; it never sees the text as a whole.',
  );
  expect(said({}, { name: 'tools' })).toBe(
    'The planner sees the question and says what to do next. The reasoner, who alone sees the tools, carries out the plan.',
  );
  expect(said({ protocol: 'single' })).toBe('One agent sees a problem and the rule, and answers alone.');
  expect(said({ protocol: 'debate', count: 2 })).toBe(
    'All agents answer, read each other’s answers and answer again; 1 of 2 sees the rule.',
  );
  expect(said({ protocol: 'inTurn' }, { name: 'entailment' })).toBe(
    'The debaters take turns, and each hears the other; no agent sees both the first half and the second half.',
  );
  expect(said({ protocol: 'toolLoop' }, { name: 'tools' })).toBe(
    'One agent sees a problem and the question and the tools, and calls tools until it answers.',
  );
  expect(said({ protocol: 'vote', informed: 'nobody' })).toContain('; nobody sees the rule');
});

it('for several worlds the sentence names them all, with the hidden text of each', () => {
  const agents = { protocol: 'debate', count: 2 } as const;
  const world: ConfigInput['world'] = { name: 'entailment', also: [{ name: 'wordProblems' }] };
  const among = (set: ConfigInput['agents']) =>
    premiseAmong([entailment, wordProblems], cast(set, world), chosenProtocol(parseConfig({ agents: set }).agents));
  expect(among(agents)).toEqual({
    before: 'All agents answer, read each other’s answers and answer again, in',
    hidden: {
      label: 'Entailment and Word problems',
      sentence: expect.stringMatching(
        /^Entailment, the first half: .* Word problems, the story: The story contains all numbers/,
      ) as string,
    },
    after: '.',
  });
  expect(among({}).before).toBe('The planner says what to do next. The reasoner does it, in');
  expect(among({ protocol: 'single' }).before).toBe('One agent answers alone, in');
});

it('the rule is labelled with the agents that see it', () => {
  expect(seenBy(cast({}), rule)).toBe('Only the planner knows:');
  expect(seenBy(cast({ protocol: 'single' }), rule)).toBe('rule:');
  expect(seenBy(cast({ protocol: 'pioneerObserver' }), rule)).toBe('Only the pioneer knows:');
  expect(seenBy(cast({ protocol: 'debate', count: 2 }), rule)).toBe('Only debater 1 knows:');
  expect(seenBy(cast({ protocol: 'debate', count: 4 }), rule)).toBe('seen by 2 of 4 agents:');
  expect(seenBy(cast({ protocol: 'vote', informed: 'nobody' }), rule)).toBe('Nobody sees:');
});

it('a dialogue keeps its own team when the settings have changed since', () => {
  const talked = {
    prompts: [
      [1, 8, 2],
      [1, 2],
    ],
    turns: [{ agent: 0, role: 'pioneer' }],
  } as unknown as Trajectory;
  const now = cast({ protocol: 'debate', count: 4 });
  expect(castOnShow(null, now)).toBe(now);
  expect(castOnShow(talked, now)).toEqual([
    { role: 'pioneer', sees: [rule], seesNot: [] },
    { role: 'reasoning', sees: [], seesNot: [rule] },
  ]);
  const fitting = cast({ protocol: 'pioneerObserver' });
  expect(castOnShow(talked, fitting)).toEqual(fitting);
});
