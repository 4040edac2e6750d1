// Tests the generated parts of the pages of learners and protocols.
import { expect, it } from 'vitest';
import { describeFields } from '../src/config/describe.ts';
import { actingBy, refusedList, talkOf } from './about/together.ts';
import { protocolBlocks } from './about/protocols.ts';

it('the protocol with one agent is refused with a learner that needs several agents, and with no other learner', () => {
  const refused = refusedList('agents.protocol', talkOf('single'), describeFields());
  const learners = [...refused.matchAll(/learning\.learner=(\w+)`/g)].map(([, name]) => name);
  expect(learners).toContain('vdn');
  expect(learners).not.toContain('grpo');
});

it('a refused setting is listed with its refused values: one, all but one, or those above a number', () => {
  const refused = refusedList('agents.protocol', talkOf('single'), describeFields());
  expect(refused).toContain('`reward.influence other than off`');
  expect(refused).toContain('`reward.causal above 0`');
  expect(refusedList('agents.protocol', talkOf('summary'), describeFields())).toContain('`agents.count=1`');
});

it('the settings of a debate have an effect in a debate and none in a vote', () => {
  const pathsIn = (protocol: 'debate' | 'vote') =>
    actingBy('agents.protocol', talkOf(protocol)).map(({ path }) => path);
  expect(pathsIn('debate')).toContain('agents.consensus');
  expect(pathsIn('vote')).not.toContain('agents.consensus');
});

it('a page says who hears whom: a pioneer hears nobody, its observer the pioneer, a planner the reasoner', async () => {
  const rowsOf = async (name: string) =>
    [...((await protocolBlocks[`protocol_${name}`]?.()) ?? '').matchAll(/^\| (\d) .*\| (\S+) +\|$/gm)].map(
      ([, agent, hears]) => [agent, hears],
    );
  expect(await rowsOf('pioneerObserver')).toEqual([
    ['0', 'nobody'],
    ['1', '0'],
  ]);
  expect(await rowsOf('reMA')).toEqual([
    ['0', '1'],
    ['1', '0'],
  ]);
});
