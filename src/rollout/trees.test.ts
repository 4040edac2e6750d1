// Tests of dialogues as trees. They check which candidate is chosen, which messages each lane has received, and which
// candidates are stored as branches.
import { sampleProblem } from '../records/testing/arbitrary.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { uniform } from '../base/random.ts';
import { protocolsFor } from '../config/worlds/rules.ts';
import { parseConfig } from '../config/parse.ts';
import type { ConfigInput } from '../config/schema.ts';
import { trunksOf } from '../records/branch.ts';
import type { Problem } from '../records/problem.ts';
import type { Trajectory } from '../records/trajectory.ts';
import { world as houseRule } from '../extensions/worlds/houseRule/world.ts';
import { loadTokenizer, specialIds } from '../tasks/testing/tokenizers.ts';
import { runTrajectories } from './runTrajectories.ts';
import { fakePolicy, type FakePolicy, type HeardRow } from './testing/fakePolicy.ts';
import { protocolOf } from '../records/protocol.ts';
import { turnAddress, type RolloutRequest } from './request.ts';
import { rolloutSettings, type RolloutSettings } from './settings.ts';
import { runTrees, type CandidateTrajectory } from './trees.ts';
import { viewRow, viewTokens } from './view.ts';

const tokenizer = loadTokenizer();
const problem: Problem = sampleProblem;

function requestOf(
  agents: NonNullable<ConfigInput['agents']>,
  policies: readonly FakePolicy[],
  more: { rows: number; settings?: Partial<RolloutSettings> },
): RolloutRequest {
  const config = parseConfig({ agents });
  const protocol = protocolOf(config.agents, houseRule);
  return {
    problems: Array.from({ length: more.rows }, () => problem),
    groups: Array.from({ length: more.rows }, (_, row) => row),
    protocol,
    settings: { ...rolloutSettings(config, houseRule), ...more.settings },
    policies,
    tokens: viewTokens(protocol, [tokenizer]),
    prompt: (asked, agent) => tokenizer.encode(houseRule.view(asked, protocol.sees[agent] ?? [])),
    decode: (ids) => tokenizer.decode(ids),
    address: (...turn) => turnAddress({ seed: 1, stream: 3, iteration: 0 }, ...turn),
    judge: (said) => Promise.all(said.map(({ trajectory, turn }) => houseRule.judge(trajectory.problem, turn))),
    maskDraw: (row, turn, listener) => uniform(1, 4, 0, row * 1024 + turn * 8 + listener),
  };
}

/**
 * Makes the messages of an agent, by lane and turn. After the last message of the list, the agent repeats this message.
 */
const speaker = (script: string[][]) =>
  fakePolicy((row, turn) => tokenizer.encode(script[row]?.[turn] ?? (script[row]?.at(-1) as string)));
const said = ({ turns }: Trajectory) => turns.map(({ text, isFinish }) => `${text}${isFinish ? '!' : ''}`);

/** Chooses the candidate that comes first in this list. */
const liking =
  (...texts: string[]) =>
  (drafts: readonly CandidateTrajectory[]) => {
    const at = drafts.map(({ trajectory }) => texts.indexOf(said(trajectory).at(-1) as string));
    return Promise.resolve(at.indexOf(Math.min(...at.filter((place) => place >= 0))));
  };

describe('a dialogue with three candidates a turn', () => {
  const meta = () =>
    speaker([
      ['7+4<eot>', '<finish>'],
      ['4*2<eot>', '7+8<eot>'],
      ['1<eot>', '<finish>'],
    ]);
  const reason = () => speaker([['5<eot>'], ['7+6<eot>'], ['7+8<eot>']]);
  const choose = liking('4*2', '7+8', '!');

  it('goes on from the chosen ones, and keeps the others as branches that share its beginning', async () => {
    const request = requestOf({}, [meta(), reason()], { rows: 1, settings: { roundLimit: 3 } });
    const { trunks, branches } = await runTrees(request, { candidates: 3, choose });
    expect(trunks.map(said)).toEqual([['4*2', '7+8', '7+8', '7+8', '7+8', '7+8']]);
    expect(branches.slice(0, 6).map(said)).toEqual([
      ...[['7+4'], ['1']],
      ...[
        ['4*2', '5'],
        ['4*2', '7+6'],
      ],
      ...[
        ['4*2', '7+8', '!'],
        ['4*2', '7+8', '!'],
      ],
    ]);
    expect(branches.map(({ branch }) => branch?.from)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    expect(branches.map(({ index }) => index)).toEqual(branches.map((_, i) => 1 + i));
    expect(trunks[0]?.index).toBe(0);
    expect(trunksOf([...trunks, ...branches])).toEqual(trunks);
    expect(branches[4]).toMatchObject({ finishCode: 0, branch: { tree: 0, from: 2 } });
    expect(trunks[0]?.finishCode).toBe(1);
  });

  it('tells which drafts would end it', async () => {
    const ends: boolean[][] = [];
    const watching = (drafts: readonly CandidateTrajectory[]) => {
      ends.push(drafts.map(({ isEnd }) => isEnd));
      return choose(drafts);
    };
    const settings = { roundLimit: 2 };
    await runTrees(requestOf({}, [meta(), reason()], { rows: 1, settings }), { candidates: 3, choose: watching });
    expect(ends).toEqual([
      [false, false, false],
      [false, false, false],
      [true, false, true],
      [true, true, true],
    ]);
    ends.length = 0;
    const late = { roundLimit: 2, finishEnds: 'afterReply' } as const;
    await runTrees(requestOf({}, [meta(), reason()], { rows: 1, settings: late }), { candidates: 3, choose: watching });
    expect(ends[2]).toEqual([false, false, false]);
  });

  it('ends where the chosen one ends it', async () => {
    const { trunks } = await runTrees(requestOf({}, [meta(), reason()], { rows: 1 }), {
      candidates: 3,
      choose: liking('4*2', '!', '7+8'),
    });
    expect(trunks.map(said)).toEqual([['4*2', '7+8', '!']]);
    expect(trunks[0]?.finishCode).toBe(0);
  });
});

it('one candidate is no tree', async () => {
  const request = requestOf({}, [speaker([['<finish>']]), speaker([['5<eot>']])], { rows: 1 });
  await expect(runTrees(request, { candidates: 1, choose: () => Promise.resolve(0) })).rejects.toThrow(/2 candidates/);
});

/** Policies that record the context of every lane at the time when lanes were copied. */
function recording(agents: number, seed: number) {
  const partings: HeardRow[][] = [];
  const policies = Array.from({ length: agents }, (_, agent) => {
    const policy = fakePolicy(
      (row, turn) => {
        const draw = (at: number) => uniform(seed, agent, row, turn * 16 + at);
        const length = 1 + Math.floor(draw(0) * 5);
        const ids = Array.from({ length }, (__, t) => 9 + Math.floor(draw(1 + t) * 10));
        const end = draw(9) < 0.15 ? specialIds.finish : specialIds.eot;
        return draw(10) < 0.1 ? ids : [...ids, end];
      },
      { maxPositions: 160 },
    );
    const { open } = policy;
    policy.open = (rows) => {
      const session = open(rows) as ReturnType<typeof open> & { rows: HeardRow[] };
      const { takeRows } = session;
      session.takeRows = (from) => {
        partings.push(structuredClone(session.rows));
        takeRows(from);
      };
      return session;
    };
    return policy;
  });
  return { policies, partings };
}

const asRow = (row: HeardRow) => JSON.stringify([row.ids, row.isSampled, row.logprobs]);

describe('whatever the protocol', () => {
  const anyTeam = fc.constantFrom<NonNullable<ConfigInput['agents']>>(
    ...protocolsFor(houseRule).map((protocol) => ({ protocol })),
    { protocol: 'debate', count: 2, maskPeers: 0.5, feedback: true },
    { protocol: 'debate', count: 3, consensus: 0.6 },
    { shuffled: 'all' },
    { protocol: 'summary', count: 3, roundLimit: 2 },
    { finishEnds: 'afterReply', stopWhenTruncated: false },
  );

  it('a trunk is to each agent what its lanes have heard, and a branch what its lane had heard when it was left', async () => {
    await fc.assert(
      fc.asyncProperty(anyTeam, fc.nat(10_000), fc.integer({ min: 2, max: 4 }), async (agents, seed, candidates) => {
        const count = protocolOf(parseConfig({ agents }).agents, houseRule).roles.length;
        const { policies, partings } = recording(count, seed);
        const request = requestOf(agents, policies, { rows: 2 });
        const choose = (drafts: readonly CandidateTrajectory[]) =>
          Promise.resolve((seed + drafts.length * 7) % drafts.length);
        const { trunks, branches } = await runTrees(request, { candidates, choose });
        for (const agent of policies.keys()) {
          const rows = policies[agent]?.sessions[0]?.rows as HeardRow[];
          trunks.forEach((trunk, tree) => {
            const view = viewRow(trunk, agent, request.tokens);
            const lanes = rows.slice(tree * candidates, (tree + 1) * candidates);
            for (const lane of lanes) {
              // Tokens that an agent receives after its last turn are passed to the session only with its next turn.
              const own = lane.isSampled.lastIndexOf(true) + 1;
              if (own === 0) continue;
              expect(lane.ids.slice(0, own)).toEqual(view.ids);
              expect(lane.logprobs.slice(0, own)).toEqual(view.logprobs);
            }
          });
        }
        const heard = new Set(
          partings.flat().map((row) => {
            const own = row.isSampled.lastIndexOf(true) + 1;
            return asRow({ ...row, ids: row.ids.slice(0, own), isSampled: [], logprobs: [] });
          }),
        );
        for (const branch of branches) {
          const agent = branch.turns.at(-1)?.agent as number;
          const view = viewRow(branch, agent, request.tokens);
          expect(heard).toContain(asRow({ ids: view.ids, isSampled: [], logprobs: [], isVisible: [] }));
          const { length } = branch.turns.at(-1)?.tokens as number[];
          expect(view.isAction.map(Number)).toEqual(view.ids.map((_, t) => (t < view.ids.length - length ? 0 : 1)));
          expect(view.logprobs.slice(-length)).toEqual(branch.turns.at(-1)?.logprobs);
        }
        // After each set, all candidates except the chosen one are stored as branches.
        const turns = trunks.reduce((sum, trunk) => sum + trunk.turns.length, 0);
        expect(branches).toHaveLength((candidates - 1) * turns);
        branches.forEach(({ branch, turns: own, group, prompts }) => {
          const trunk = trunks[branch?.tree as number] as Trajectory;
          expect(own.length - 1).toBe(branch?.from);
          expect(own.slice(0, -1).map(({ tokens }) => tokens)).toEqual(
            trunk.turns.slice(0, branch?.from).map(({ tokens }) => tokens),
          );
          expect([group, prompts]).toEqual([trunk.group, trunk.prompts]);
        });
      }),
      { numRuns: 40 },
    );
  });

  it('a trunk of lanes that all say the same is the plain dialogue', async () => {
    await fc.assert(
      fc.asyncProperty(anyTeam, fc.nat(10_000), async (agents, seed) => {
        const count = protocolOf(parseConfig({ agents }).agents, houseRule).roles.length;
        const say = (tree: (row: number) => number) =>
          Array.from({ length: count }, (_, agent) =>
            fakePolicy((row, turn) => {
              const draw = (at: number) => uniform(seed, agent, tree(row), turn * 16 + at);
              return [9 + Math.floor(draw(1) * 10), draw(2) < 0.2 ? specialIds.finish : specialIds.eot];
            }),
          );
        const plain = await runTrajectories(
          requestOf(
            agents,
            say((row) => row),
            { rows: 2 },
          ),
        );
        const request = requestOf(
          agents,
          say((row) => Math.floor(row / 3)),
          { rows: 2 },
        );
        const { trunks } = await runTrees(request, { candidates: 3, choose: () => Promise.resolve(2) });
        const bare = (trajectories: readonly Trajectory[]) =>
          trajectories.map(({ turns, ...rest }) => ({
            ...rest,
            turns: turns.map((turn) => ({ ...turn, logprobs: [] })),
          }));
        expect(bare(trunks)).toEqual(bare(plain));
      }),
      { numRuns: 30 },
    );
  });
});
