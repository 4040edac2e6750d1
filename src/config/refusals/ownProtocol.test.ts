import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { plannedPair, type OwnProtocol } from '../ownProtocol.ts';
import { kinOf } from '../protocols/registry.ts';
import { checkedSetting, parseConfig, parseShape } from '../parse.ts';
import { answeringPair, ownProtocols } from '../testing/ownProtocols.ts';
import { faultOf, withoutAgent, withPlace } from './ownProtocol.ts';

const hidden = ['rule'];
const pair = (changes: Partial<OwnProtocol>): OwnProtocol => ({ ...answeringPair, ...changes });
const planned = (changes: Partial<OwnProtocol>): OwnProtocol => ({ ...plannedPair, ...changes });
const [planner, reasoner] = plannedPair.agents as [OwnProtocol['agents'][0], OwnProtocol['agents'][0]];
const [first, second] = answeringPair.agents as [OwnProtocol['agents'][0], OwnProtocol['agents'][0]];

describe('a written protocol', () => {
  it('is possible with a planner and a reasoner, and with two agents that answer', () => {
    expect(faultOf(plannedPair, hidden)).toBeNull();
    expect(faultOf(answeringPair, hidden)).toBeNull();
  });

  it.each<[what: string, own: OwnProtocol, within: (string | number)[], says: RegExp]>([
    [
      'hears somebody who is not there',
      pair({ agents: [first, { ...second, hears: [0, 3] }] }),
      ['agents', 1, 'hears'],
      /no agent 3, because the 2 agents of the team are numbered 0 to 1/,
    ],
    ['lets somebody speak who is not there', pair({ order: [[0, 1], [5]] }), ['order', 1], /no agent 5/],
    ['is answered by nobody', pair({ answer: 2 }), ['answer'], /^nobody answers/],
    ['is finished by nobody', planned({ finisher: 2 }), ['finisher'], /no agent 2/],
    ['has an empty set', pair({ order: [[0, 1], []] }), ['order', 1], /nobody speaks in this set/],
    ['has an agent who never speaks', pair({ order: [[0]] }), ['agents', 1], /agent 1 never speaks/],
    ['has an agent who speaks twice', pair({ order: [[0, 1], [0]] }), ['order', 1], /agent 0 speaks twice/],
    [
      'tells somebody to hears itself',
      pair({ agents: [{ ...first, hears: [0, 1] }, second] }),
      ['agents', 0, 'hears'],
      /hears itself/,
    ],
    [
      'has somebody wait for nobody',
      pair({ order: [[0], [1]], agents: [first, { ...second, hears: [] }] }),
      ['agents', 1, 'hears'],
      /agent 1 has nothing to wait for/,
    ],
    [
      'is finished by somebody who does not plan',
      planned({ finisher: 1 }),
      ['finisher'],
      /agent 1 may finish the dialogue but is not a planner/,
    ],
    [
      'has plans that nobody does',
      planned({ agents: [planner, { ...reasoner, role: 'metaThinking' }] }),
      ['agents'],
      /nobody answers, because all agents are planners/,
    ],
    [
      'has another role between plans',
      planned({ agents: [planner, { ...reasoner, role: 'debater' }] }),
      ['agents', 1, 'role'],
      /agent 1 does not fit/,
    ],
    ['is answered by a planner', planned({ answer: 0 }), ['answer'], /the reasoner, agent 1, must give the answer/],
    ['has a reasoner before any plan', planned({ order: [[0, 1]] }), ['order', 0], /agent 1 speaks before any planner/],
    [
      'has a reasoner amid plans',
      planned({ agents: [planner, reasoner, planner], order: [[0], [1], [2]] }),
      ['order', 1],
      /agent 1 must speak alone in the last set/,
    ],
    ['has a plan that nobody may finish', planned({ finisher: null }), ['agents', 0, 'role'], /agent 0 is a planner/],
    [
      'shows what is not hidden',
      pair({ agents: [{ ...first, sees: ['map'] }, second] }),
      ['agents', 0, 'sees'],
      /“map”, but this world hides rule/,
    ],
  ])('that %s is refused at its place', (_, own, within, says) => {
    const fault = faultOf(own, hidden);
    expect(fault).toMatchObject({ within });
    expect(fault?.says).toMatch(says);
  });

  it('of any form is corrected by the nearest remedies, one after the other', () => {
    fc.assert(
      fc.property(ownProtocols([...hidden, 'map']), (own) => {
        let now = own;
        for (let step = 0; step < 60; step++) {
          const fault = faultOf(now, hidden);
          if (!fault) return;
          const [nearest] = fault.mended;
          expect(nearest, fault.says).toBeDefined();
          now = checkedSetting('agents.own', nearest) as OwnProtocol;
        }
        expect.unreachable(`${JSON.stringify(own)} is still refused`);
      }),
    );
  });

  it('is not checked if another protocol is chosen', () => {
    expect(parseConfig({ agents: { own: pair({ answer: 7 }) } }).agents.own.answer).toBe(7);
    expect(() => parseConfig({ agents: { protocol: 'own', own: pair({ answer: 7 }) } })).toThrow(ConfigError);
  });

  it('with a part of another form is refused with the name of the part', () => {
    const wizard = { ...pair({}), agents: [first, { ...second, role: 'wizard' }] };
    expect(() => parseShape({ agents: { own: wizard } })).toThrow(
      /^agents\.own\.agents\.1\.role: expected one of metaThinking, .*, got "wizard"\.$/,
    );
    expect(() => checkedSetting('agents.own', wizard)).toThrow(/^agents\.own\.agents\.1\.role: expected one of/);
    const many = { ...pair({}), agents: Array.from({ length: 9 }, () => first) };
    expect(() => checkedSetting('agents.own', many)).toThrow(/^agents\.own\.agents: expected at most 8/);
    const { answer: _, ...silent } = pair({});
    expect(() => checkedSetting('agents.own', silent)).toThrow(
      'agents.own.answer: expected a value, but there is none.',
    );
    expect(() => checkedSetting('agents.own', { ...pair({}), wizards: 1 })).toThrow(
      /agents\.own\.wizards: there is no such part/,
    );
    expect(() => checkedSetting('agents.own', 'debate')).toThrow(/agents\.own: expected a protocol/);
  });

  it('behaves like the named one that its facts describe', () => {
    const kin = (own: OwnProtocol) => kinOf({ protocol: 'own', own });
    expect(kin(plannedPair)).toBe('reMA');
    expect(kin(answeringPair)).toBe('debate');
    expect(kin(pair({ agents: [first, second].map((agent) => ({ ...agent, hears: [] })) }))).toBe('vote');
    expect(kin(pair({ agents: [{ ...first, hears: [] }], order: [[0]] }))).toBe('single');
  });

  it('stays valid after an agent is removed, with the other agents renumbered', () => {
    const three = pair({ agents: [first, second, { ...second, hears: [0, 1] }], order: [[0, 1], [2]], answer: 2 });
    expect(withoutAgent(three, 1)).toMatchObject({
      agents: [{ hears: [] }, { hears: [0] }],
      order: [[0], [1]],
      answer: 1,
    });
    expect(withoutAgent(three, 2)).toMatchObject({ order: [[0, 1]], answer: 'majority' });
    expect(withPlace(three, 1, 2).order).toEqual([[0], [2], [1]]);
    expect(withPlace(three, 2, 0).order).toEqual([[0, 1, 2]]);
  });
});
