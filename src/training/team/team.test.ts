import { describe, expect, it } from 'vitest';
import { form as houseRule } from '../../extensions/worlds/houseRule/form.ts';
import { protocolsFor } from '../../config/worlds/rules.ts';
import { parseConfig } from '../../config/parse.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { mostRounds } from '../../config/protocols/registry.ts';
import { demonstrate } from '../imitation/demonstrations.ts';
import { actionCount, buildRows } from '../rows/rows.ts';
import { assembleTeam, teamAt } from './team.ts';

const teamOf = (agents: ConfigInput['agents'], level: number) =>
  assembleTeam(parseConfig({ agents, world: { level } }));

describe('assembleTeam', () => {
  it('gives both roles one network when parameters are shared, else each its own', () => {
    const every = (...networks: number[]) => networks.map((n) => [n, n, n, n]); // rounds of level 1
    const shared = assembleTeam(parseConfig({}));
    expect([shared.networkOf, shared.agentsOf]).toEqual([every(0, 0), [[0, 1]]]);
    const separate = assembleTeam(parseConfig({ agents: { parameters: 'separate' } }));
    expect([separate.networkOf, separate.agentsOf]).toEqual([every(0, 1), [[0], [1]]]);
    const single = assembleTeam(parseConfig({ agents: { protocol: 'single' } }));
    expect([single.networkOf, single.agentsOf]).toEqual([[[0]], [[0]]]);
    const four = assembleTeam(parseConfig({ agents: { protocol: 'debate', count: 4, parameters: 'separate' } }));
    const own = [0, 1, 2, 3].map((n) => [n]);
    expect([four.networkOf, four.agentsOf]).toEqual([own.map(([n]) => [n, n]), own]);
  });

  it('numbers the networks of single turns as they come to speak, in one round as those of roles', () => {
    const lora = { parameters: 'lora', adapterPer: 'turn' } as const;
    const three = assembleTeam(parseConfig({ agents: { ...lora, roundLimit: 3 } }));
    expect(three.networkOf).toEqual([
      [0, 2, 4],
      [1, 3, 5],
    ]);
    expect(three.agentsOf).toEqual([[0], [1], [0], [1], [0], [1]]);
    expect(three.shapes).toHaveLength(6);
    const debate = assembleTeam(parseConfig({ agents: { ...lora, protocol: 'debate', count: 3 } }));
    expect(debate.networkOf).toEqual([
      [0, 3],
      [1, 4],
      [2, 5],
    ]);
    const once = { parameters: 'lora', protocol: 'vote', count: 3 } as const;
    const [turns, roles] = (['turn', 'role'] as const).map((adapterPer) =>
      assembleTeam(parseConfig({ agents: { ...once, adapterPer } })),
    );
    expect([turns?.networkOf, turns?.agentsOf]).toEqual([roles?.networkOf, roles?.agentsOf]);
  });

  it('has no more rounds than the settings know of before the level is read', () => {
    for (const protocol of protocolsFor(houseRule)) {
      for (const level of [1, 2, 3, 4]) {
        for (const roundLimit of [0, 1, 8]) {
          const { settings, config, protocol: talk } = teamOf({ protocol, roundLimit, count: 3 }, level);
          const most = mostRounds(config.agents);
          expect(settings.roundLimit, `${protocol} ${level} ${roundLimit}`).toBeLessThanOrEqual(most);
          if (level === 4 || !talk.hasSteps) expect(settings.roundLimit).toBe(most);
        }
      }
    }
  });

  it('lets the networks of all turns change hands together when roles are exchanged', () => {
    const agents = { parameters: 'lora', adapterPer: 'turn', roundLimit: 2, swapEvery: 1 } as const;
    const swapped = teamAt(assembleTeam(parseConfig({ agents })), 1);
    expect([swapped.networkOf, swapped.agentsOf]).toEqual([
      [
        [1, 3],
        [0, 2],
      ],
      [[1], [0], [1], [0]],
    ]);
  });

  it('has room for every demonstration at every level, under every protocol', () => {
    for (const level of [1, 2, 3, 4]) {
      for (const protocol of protocolsFor(houseRule)) {
        const config = parseConfig({
          world: { level },
          agents: { protocol, feedback: true },
          warmStart: { batchSize: 64, goodPlans: 0.5 },
        });
        const team = assembleTeam(config);
        const trajectories = demonstrate(team, 1);
        const batch = buildRows(trajectories, [...team.protocol.roles.keys()], team.tokens);
        expect(batch.length).toBeLessThan(team.shape.maxPositions);
        for (const { turns } of trajectories) {
          expect(turns.length).toBeLessThanOrEqual(team.protocol.roles.length * team.settings.roundLimit);
          for (const { role, tokens } of turns) expect(tokens.length).toBeLessThanOrEqual(team.settings.windows[role]);
        }
        expect(actionCount(batch)).toBe(
          trajectories.flatMap(({ turns }) => turns.flatMap(({ tokens }) => tokens)).length,
        );
      }
    }
  });
});

describe('demonstrate', () => {
  const config = (warmStart: object, finishEnds: 'atOnce' | 'afterReply' = 'atOnce') =>
    parseConfig({ agents: { finishEnds }, warmStart: { batchSize: 200, ...warmStart } });
  const shareRight = async (settings: ReturnType<typeof config>) => {
    const { world, protocol, ...team } = assembleTeam(settings);
    const shown = demonstrate({ world, protocol, ...team }, 3);
    const found = await Promise.all(shown.map(({ problem, turns }) => world.assess(problem, turns, protocol)));
    return found.filter(({ isRight }) => isRight).length / 200;
  };

  it('with good plans and no slips is always right, however a dialogue ends', async () => {
    for (const finishEnds of ['atOnce', 'afterReply'] as const) {
      expect(await shareRight(config({ goodPlans: 1, resultNoise: 0 }, finishEnds))).toBe(1);
    }
  });

  it('depends on seed and step alone, and draws from the training problems only', () => {
    const team = assembleTeam(config({}));
    expect(demonstrate(team, 5)).toEqual(demonstrate(team, 5));
    expect(demonstrate(team, 6)).not.toEqual(demonstrate(team, 5));
    const heldOut = new Set(team.world.heldOut(1, 2000).map(({ shown }) => shown));
    const seen = Array.from({ length: 20 }, (_, step) => demonstrate(team, step)).flat();
    expect(seen.filter(({ problem }) => heldOut.has(problem.shown))).toEqual([]);
  });

  it('says which turns were said at once, what was told of them and from whom they were withheld', () => {
    const agents = { protocol: 'debate', count: 3, feedback: true, maskPeers: 0.5 } as const;
    const team = assembleTeam(parseConfig({ agents, warmStart: { batchSize: 50 } }));
    const shown = demonstrate(team, 0);
    for (const { turns } of shown) {
      expect(turns.map(({ set }) => set)).toEqual([undefined, 0, 0, undefined, 3, 3]);
      expect(turns.map(({ round, agent }) => [round, agent])).toEqual(
        [0, 1, 2, 3, 4, 5].map((i) => [Math.floor(i / 3), i % 3]),
      );
      for (const { feedback } of turns) expect([0, 1, 2, 3]).toContain(feedback);
    }
    expect(shown.some(({ turns }) => turns.some(({ maskedFor }) => maskedFor))).toBe(true);
  });
});
