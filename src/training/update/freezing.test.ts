// Agents that only speak: nothing of theirs moves, neither weights nor critic nor moments, whatever the learner.
import { beforeAll, describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import type { NetworkState } from '../../records/checkpoint.ts';
import { networksToUpdate } from '../run/policyUpdates.ts';
import { assembleTeam } from '../team/team.ts';
import { startCpuEngine } from '../testing/cpuEngine.ts';
import { microConfig, openRun, startRun } from '../testing/microRun.ts';

beforeAll(startCpuEngine);

const debate = { protocol: 'debate', count: 3, parameters: 'separate', roundLimit: 2 } as const;

function hasMoved(before: NetworkState | undefined, after: NetworkState | undefined): boolean {
  try {
    expect(after).toEqual(before);
    return false;
  } catch {
    return true;
  }
}

async function moved(settings: ConfigInput, iterations = 2): Promise<boolean[]> {
  const { session } = await startRun(settings);
  const before = await session.checkpoint();
  await session.train(iterations);
  const after = await session.checkpoint();
  await session.dispose();
  return after.networks.map((network, n) => hasMoved(before.networks[n], network));
}

describe('a frozen agent', () => {
  const learners = ['grpo', 'ppo', 'mappo', 'happo'] as const;

  it.each(learners)('is bit-identical after training with %s, and the others are not', async (learner) => {
    const learning = { learner, frozen: [1] };
    expect(await moved({ agents: debate, learning })).toEqual([true, false, true]);
  });

  it.each(learners)('leaves one agent alone to learn with %s', async (learner) => {
    expect(await moved({ agents: { parameters: 'separate' }, learning: { learner, frozen: [0] } })).toEqual([
      false,
      true,
    ]);
  });

  it('changes nothing when nobody is frozen', async () => {
    expect(await moved({ agents: { parameters: 'separate' } }, 1)).toEqual([true, true]);
  });

  it('has its turn passed over where agents alternate', () => {
    const turns = (learning: ConfigInput['learning']) => {
      const team = assembleTeam(microConfig({ agents: debate, learning: { switchEvery: 1, ...learning } }));
      return [0, 1, 2, 3, 4, 5].map((iteration) => networksToUpdate(team, iteration).join());
    };
    expect(turns({ frozen: [] })).toEqual(['0', '1', '2', '0', '1', '2']);
    expect(turns({ frozen: [1] })).toEqual(['0', '2', '0', '2', '0', '2']);
    expect(turns({ frozen: [0], startAgent: 2 })).toEqual(['2', '1', '2', '1', '2', '1']);
    expect(turns({ frozen: [0, 2] })).toEqual(['1', '1', '1', '1', '1', '1']);
  });
});

describe('in mid-run', () => {
  it('agents are frozen and thawed from the next iteration on', async () => {
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
    await session.dispose();
  });

  it('a run with frozen agents goes on from its checkpoint as if it had not stopped', async () => {
    const settings = { agents: debate, learning: { learner: 'happo' as const, frozen: [2] } };
    const whole = await startRun(settings);
    await whole.session.train(2);
    const expected = await whole.session.checkpoint();
    await whole.session.dispose();
    const first = await startRun(settings);
    await first.session.train(1);
    const second = openRun(await first.session.checkpoint());
    await first.session.dispose();
    await second.session.train(1);
    expect(await second.session.checkpoint()).toEqual(expected);
    await second.session.dispose();
  });
});
