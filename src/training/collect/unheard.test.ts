// A run in which some messages are not heard. The tests check which messages each agent reads, both in training rows
// and while decoding, and which dialogues are used to measure the team.
import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import { livelyWeights } from '../../model/testing/reference.ts';
import type { Trajectory, Turn } from '../../records/trajectory.ts';
import { examinedTrajectories } from '../evaluation/evaluate.ts';
import { buildRows } from '../rows/rows.ts';
import { agentPolicies } from './agentPolicies.ts';
import { disposeNetwork, freshState, uploadNetwork } from '../team/network.ts';
import { assembleTeam } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microConfig, startRun } from '../testing/microRun.ts';
import { collectRollouts } from './collect.ts';

onCpu();

async function talkOf(agents: ConfigInput['agents']) {
  const learning = { problemsPerIteration: 2, groupSize: 2 };
  const team = assembleTeam(microConfig({ agents: { stopWhenTruncated: false, ...agents }, learning }));
  const networks = [uploadNetwork(freshState(livelyWeights(team.shape, 5), team.shape, false), team.shape)];
  const policies = agentPolicies({ team, networks });
  const { trajectories } = await collectRollouts(team, { policies, iteration: 0 });
  const examined = await examinedTrajectories(team, team.world.heldOut(1, 2), { policies });
  networks.forEach(disposeNetwork);
  return { team, trajectories, examined };
}

const withheld = (trajectories: readonly Trajectory[]) =>
  new Set(trajectories.flatMap(({ turns }) => turns.map((turn) => `${turn.agent}: ${turn.maskedFor?.join() ?? ''}`)));

describe('whose messages are withheld', () => {
  it.each([
    ['plan and reason, the plans', { unheard: 'first' }, ['0: 1', '1: ']],
    ['plan and reason, the replies', { unheard: 'others' }, ['0: ', '1: 0']],
    ['plan and reason, all', { unheard: 'all' }, ['0: 1', '1: 0']],
    ['plan and reason, none', {}, ['0: ', '1: ']],
    [
      'a debate, the first',
      { protocol: 'debate', count: 3, roundLimit: 2, unheard: 'first' },
      ['0: 1,2', '1: ', '2: '],
    ],
    ['a pioneer', { protocol: 'pioneerObserver', unheard: 'first' }, ['0: 1', '1: ']],
  ] satisfies [string, ConfigInput['agents'], string[]][])(
    '%s: in training and where it is measured',
    async (_, agents, expected) => {
      const { trajectories, examined } = await talkOf(agents);
      expect([...withheld(trajectories)].sort()).toEqual(expected);
      expect([...withheld(examined)].sort()).toEqual(expected);
    },
  );
});

it('the first message of both arms is the same, as nothing was said before it', async () => {
  const [hidden, heard] = [await talkOf({ unheard: 'first' }), await talkOf({})];
  const first = ({ trajectories }: typeof heard) => trajectories.map(({ turns }) => turns[0]?.tokens);
  expect(first(hidden)).toEqual(first(heard));
});

describe('what a listener learns from', () => {
  /** The same dialogues, but with other plans. */
  const otherPlans = (trajectories: readonly Trajectory[]) =>
    trajectories.map((one) => ({
      ...one,
      turns: one.turns.map((turn) =>
        (turn.agent as number) === 0 ? { ...turn, tokens: turn.tokens.toReversed() } : turn,
      ),
    }));

  it('has its prompt, that something was said, and its own words: by hand', async () => {
    const { team, trajectories } = await talkOf({ unheard: 'first' });
    const { tokens } = team;
    const [one] = trajectories as [Trajectory];
    const closed = ({ tokens: said, isTruncated }: Turn) => [...said, ...(isTruncated ? [tokens.endOfTurn] : [])];
    const row = [
      ...(one.prompts[1] as number[]),
      ...one.turns.flatMap((turn) => [
        ...tokens.headers[turn.role],
        ...((turn.agent as number) === 0 ? [tokens.endOfTurn] : closed(turn)),
      ]),
    ];
    const batch = buildRows([one], [1], tokens);
    expect(Array.from(batch.ids).slice(0, 12)).toEqual(row.slice(0, 12));
    const [end] = [batch.ids.findLastIndex((_, t) => batch.actionMask[t] === 1)];
    expect(Array.from(batch.ids.slice(0, end + 1))).toEqual(row.slice(0, end + 1));
  });

  it('does not hang on what it did not hear, and does on what it heard', async () => {
    const hidden = await talkOf({ unheard: 'first' });
    const rows = (all: readonly Trajectory[]) => buildRows(all, [1], hidden.team.tokens);
    expect(rows(otherPlans(hidden.trajectories))).toEqual(rows(hidden.trajectories));
    const heard = await talkOf({});
    expect(rows(otherPlans(heard.trajectories))).not.toEqual(rows(heard.trajectories));
  });

  it('is what it decoded: the ratio of the first epoch is 1', async () => {
    const run = await startRun({ agents: { unheard: 'all' }, learning: { updateEpochs: 1, numMinibatches: 1 } });
    await run.session.train(2);
    for (const { metrics } of run.store.iterations) expect(metrics.values['losses/approx_kl']).toBeLessThan(1e-6);
    expect(
      run
        .collected()
        .flat()
        .some(({ turns }) => turns.some(({ maskedFor }) => maskedFor)),
    ).toBe(true);
    await run.session.dispose();
  });
});
