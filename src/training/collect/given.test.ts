// Tests dialogues that begin with given turns, which were sampled earlier, edited or typed. If the given turns were
// sampled earlier, the other turns are the same as in the original dialogue.
import { beforeAll, describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { agentPolicies } from './agentPolicies.ts';
import type { TrainState } from '../run/trainState.ts';
import { startRun } from '../testing/microRun.ts';
import { said } from '../testing/spoken.ts';
import { onCpu } from '../testing/onCpu.ts';
import { rollOut, type TeamRequest } from './collect.ts';

onCpu();

const withoutParts = { houseRule: { rewrite: 0, legalOperation: 0 } };
const teams: [string, ConfigInput][] = [
  ['plan and reason', {}],
  ['two networks', { agents: { parameters: 'separate' } }],
  ['a network for each turn', { agents: { parameters: 'lora', adapterPer: 'turn' } }],
  ['a debate that hears how good answers are', { agents: { protocol: 'debate', count: 3, feedback: true } }],
  [
    'a talk that stops when agreed, some answers withheld',
    { agents: { protocol: 'debate', count: 3, maskPeers: 0.3, consensus: 0.6 } },
  ],
  ['messages of other dialogues', { agents: { shuffled: 'all' } }],
  [
    'fresh contexts of a world that answers',
    { world: { name: 'memory' }, agents: { protocol: 'memoryLoop' }, ...withoutParts },
  ],
];

describe.each(teams)('%s', (_, settings) => {
  let state: TrainState;
  let whole: Trajectory[];

  const held = async (request: Partial<TeamRequest>, rows = [0, 1, 2, 3, 4, 5]) => {
    const { team } = state;
    const all = team.world.heldOut(team.config.world.level, 6);
    const { trajectories } = await rollOut(team, {
      problems: rows.flatMap((row) => all[row] ?? []),
      groups: rows.map(() => 0),
      policies: agentPolicies(state),
      draws: { stream: 3, iteration: 4, offset: rows[0] ?? 0 },
      ...request,
    });
    return trajectories;
  };
  const upTo = (from: (row: number) => number) => ({ given: whole.map(({ turns }, row) => turns.slice(0, from(row))) });

  beforeAll(async () => {
    const { session } = await startRun(settings);
    state = session.trainState;
    whole = await held({});
    return () => session.dispose();
  });

  it('goes on as it went on before, wherever it is taken up', async () => {
    const most = Math.max(...whole.map(({ turns }) => turns.length));
    expect(most).toBeGreaterThan(1);
    for (let from = 0; from <= most; from++) expect(said(await held(upTo(() => from)))).toEqual(said(whole));
  });

  it('is taken up elsewhere in each of many dialogues', async () => {
    expect(said(await held(upTo((row) => row)))).toEqual(said(whole));
  });

  it('is the same to the bit where it is held alone', async () => {
    for (const row of whole.keys()) {
      const alone = await held({}, [row]);
      for (let from = 0; from <= (alone[0]?.turns.length ?? 0); from++)
        expect(await held({ given: [(alone[0]?.turns ?? []).slice(0, from)] }, [row])).toEqual(alone);
    }
  });
});
