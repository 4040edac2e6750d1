// Tests agents that only speak and do not learn: their turns to learn are skipped, and the setting can be changed
// during the run. (whoMoved.test.ts tests that the weights of such agents do not change.)
import { expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import type { NetworkState } from '../../records/stored/checkpoint.ts';
import { networksToUpdate } from '../run/policyUpdates.ts';
import { assembleTeam } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microConfig, startRun } from '../testing/microRun.ts';

onCpu();

const debate = { protocol: 'debate', count: 3, parameters: 'separate', roundLimit: 2 } as const;

function hasMoved(before: NetworkState | undefined, after: NetworkState | undefined): boolean {
  try {
    expect(after).toEqual(before);
    return false;
  } catch {
    return true;
  }
}

it('a frozen agent has its turn passed over where agents alternate', () => {
  const turns = (learning: ConfigInput['learning']) => {
    const team = assembleTeam(microConfig({ agents: debate, learning: { switchEvery: 1, ...learning } }));
    return [0, 1, 2, 3, 4, 5].map((iteration) => networksToUpdate(team, iteration).join());
  };
  expect(turns({ frozen: [] })).toEqual(['0', '1', '2', '0', '1', '2']);
  expect(turns({ frozen: [1] })).toEqual(['0', '2', '0', '2', '0', '2']);
  expect(turns({ frozen: [0], startAgent: 2 })).toEqual(['2', '1', '2', '1', '2', '1']);
  expect(turns({ frozen: [0, 2] })).toEqual(['1', '1', '1', '1', '1', '1']);
});

it('in mid-run agents are frozen and thawed from the next iteration on', async () => {
  const { session, events } = await startRun({ agents: { parameters: 'separate' } });
  const states = [await session.checkpoint()];
  for (const frozen of [[0], [1], []]) {
    await session.change('learning.frozen', frozen);
    await session.train(1);
    states.push(await session.checkpoint());
  }
  expect(session.run.changes).toEqual([
    { iteration: 0, path: 'learning.frozen', value: [0] },
    { iteration: 1, path: 'learning.frozen', value: [1] },
    { iteration: 2, path: 'learning.frozen', value: [] },
  ]);
  const steps = states
    .slice(1)
    .map(({ networks }, i) => networks.map((network, n) => hasMoved(states[i]?.networks[n], network)));
  expect(steps).toEqual([
    [false, true],
    [true, false],
    [true, true],
  ]);
  await expect(session.change('learning.frozen', [2])).rejects.toThrow('there is no agent 2');
  expect(events.some(({ kind }) => kind === 'failed')).toBe(false);
});
