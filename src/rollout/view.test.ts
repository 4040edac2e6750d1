import { sampleProblem } from '../records/testing/arbitrary.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../base/random.ts';
import { protocolsFor } from '../config/worlds/rules.ts';
import { parseConfig } from '../config/parse.ts';
import { agentId, roles } from '../records/ids.ts';
import type { Problem } from '../records/problem.ts';
import type { Protocol } from '../records/protocol.ts';
import { setOf, setsOf, type Trajectory, type Turn } from '../records/trajectory.ts';
import { loadTokenizer, specialIds } from '../tasks/testing/tokenizers.ts';
import { runTrajectories } from './runTrajectories.ts';
import { fakePolicy, type FakeSession } from './testing/fakePolicy.ts';
import { protocolOf } from '../records/protocol.ts';
import { form as houseRule } from '../extensions/worlds/houseRule/form.ts';
import { type RolloutSettings } from './settings.ts';
import { turnContext, turnEnd, viewRow, viewTokens } from './view.ts';

const tokenizer = loadTokenizer();
const tokens = viewTokens({}, [tokenizer]);

function turn(index: number, raw: string, isTruncated = false): Turn {
  const ids = tokenizer.encode(raw);
  return {
    index,
    round: index >> 1,
    agent: agentId(index % 2),
    role: index % 2 === 0 ? 'metaThinking' : 'reasoning',
    tokens: ids,
    logprobs: ids.map((_, t) => -(index + 1) - t / 10),
    text: raw.replace(/<[a-z]+>$/, ''),
    isTruncated,
    isFinish: raw.endsWith('<finish>'),
    parts: {},
    reason: [],
    reward: 0,
  };
}

const problem: Problem = sampleProblem;
const trajectory: Trajectory = {
  ...{ index: 0, group: 0, problem, finishCode: 0, answer: '5', isRight: true, reward: 1 },
  prompts: ['<bos><rightToLeft>7<eot>', '<bos>7<eot>'].map((prompt) => tokenizer.encode(prompt)),
  turns: [turn(0, '4*2', true), turn(1, '78', true), turn(2, '<finish>')],
};

describe('the row of an agent', () => {
  it('is its prompt, then every turn with its header, cut turns closed, up to its own last token', () => {
    const rows = [0, 1].map((agent) => tokenizer.decode(viewRow(trajectory, agent, tokens).ids));
    expect(rows).toEqual([
      '<bos><rightToLeft>7<eot><meta>4*2<eot><reason>78<eot><meta><finish>',
      '<bos>7<eot><meta>4*2<eot><reason>78',
    ]);
  });

  it('marks what its agent sampled, with turn and log-probability, and nothing else', () => {
    const row = viewRow(trajectory, 0, tokens);
    const flags = [0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1];
    expect(row.isAction.map(Number)).toEqual(flags);
    expect(row.turnIds).toEqual(flags.map((is, t) => (is ? (t === 14 ? 2 : 0) : -1)));
    expect(row.logprobs).toEqual([0, 0, 0, 0, 0, -1, -1.1, -1.2, 0, 0, 0, 0, 0, 0, -3]);
  });

  it('is the prompt alone for an agent that said nothing', () => {
    const silent = viewRow({ ...trajectory, turns: trajectory.turns.slice(0, 1) }, 1, tokens);
    expect(tokenizer.decode(silent.ids)).toBe('<bos>7<eot>');
    expect(silent.isAction.some(Boolean)).toBe(false);
    for (const column of [silent.isAction, silent.turnIds, silent.logprobs]) expect(column).toHaveLength(3);
  });

  it('closes only cut turns', () => {
    expect(turnEnd({ isTruncated: false }, tokens)).toEqual([]);
    expect(turnEnd({ isTruncated: true }, tokens)).toEqual([specialIds.eot]);
    expect(tokenizer.decode(turnContext(turn(2, '<finish>'), tokens))).toBe('<meta><finish>');
    expect(tokenizer.decode(turnContext(turn(1, '78', true), tokens))).toBe('<reason>78<eot>');
  });
});

const count = (min: number, max: number) => fc.integer({ min, max });
const agentsAtMost = 4;
/**
 * A random protocol: the order of the sets of agents (each with one to four agents), the agents that each agent hears,
 * and the agents that can end the dialogue.
 */
const anyProtocol: fc.Arbitrary<Protocol> = count(1, agentsAtMost).chain((agents) => {
  const all = Array.from({ length: agents }, (_, agent) => agent);
  const set = fc.shuffledSubarray(all, { minLength: 1 });
  return fc.record({
    name: fc.constant('debate' as const),
    roles: fc.array(fc.constantFrom(...roles), { minLength: agents, maxLength: agents }),
    sees: fc.constant(all.map(() => ['rule'])),
    round: fc.array(set, { minLength: 1, maxLength: 3 }),
    isOneRound: fc.constant(false),
    rounds: fc.constant(2),
    finisher: fc.option(fc.constantFrom(...all), { nil: null }),
    hears: fc.tuple(...all.map((agent) => fc.subarray(all.filter((other) => other !== agent)))),
    answerFrom: fc.constant('majority' as const),
    messengers: fc.constant(all),
    stopsWhenAgreed: fc.constantFrom(0, 1),
    maskPeers: fc.constantFrom(0, 0.5),
    shuffled: fc.subarray(all),
    hasFeedback: fc.boolean(),
  });
});
const anyDialogue = fc.record({
  protocol: fc.oneof(
    anyProtocol,
    fc.constantFrom(
      ...protocolsFor(houseRule).map((name) =>
        protocolOf(parseConfig({ agents: { protocol: name } }).agents, houseRule),
      ),
    ),
  ),
  rows: count(1, 4),
  seed: count(0, 100_000),
  endShare: fc.constantFrom(0.05, 0.3, 0.7),
  maxPositions: fc.array(count(10, 120), { minLength: agentsAtMost, maxLength: agentsAtMost }),
  hidesMessages: fc.boolean(),
  changes: fc.record({
    roundLimit: count(1, 5),
    windows: fc.tuple(...roles.map(() => count(1, 6))),
    finishEnds: fc.constantFrom('atOnce' as const, 'afterReply' as const),
    stopWhenTruncated: fc.boolean(),
  }),
});
type AnyDialogue = typeof anyDialogue extends fc.Arbitrary<infer T> ? T : never;

/** Dialogues of random tokens, in which turns and dialogues end at random. */
async function randomTalk(given: AnyDialogue) {
  const draws = new Draws(given.seed, streams.control, 0);
  const { protocol, changes } = given;
  const settings: RolloutSettings = {
    ...{ protocolName: 'debate', temperature: 1, ...changes },
    windows: Object.fromEntries(roles.map((role, i) => [role, changes.windows[i]])) as RolloutSettings['windows'],
  };
  const token = () => (draws.next() < given.endShare ? 2 + draws.below(2) : 4 + draws.below(24));
  const say = () => {
    const ids = Array.from({ length: 6 }, token);
    const end = ids.findIndex((id) => id < 4);
    return end < 0 ? ids : ids.slice(0, end + 1);
  };
  const policies = protocol.roles.map((_, agent) =>
    fakePolicy(say, { maxPositions: given.maxPositions[agent] as number }),
  );
  const views = viewTokens(protocol, [tokenizer]);
  const drawn: string[] = [];
  const trajectories = await runTrajectories({
    problems: Array.from({ length: given.rows }, () => problem),
    groups: Array.from({ length: given.rows }, () => 0),
    ...{ protocol, settings, policies, tokens: views, isHidden: () => given.hidesMessages },
    prompt: () => Array.from({ length: 1 + draws.below(7) }, () => 4 + draws.below(24)),
    decode: (ids) => tokenizer.decode(ids),
    address: (row, turn) => {
      drawn.push(`${row} ${turn}`);
      return 0;
    },
    judge: (said) =>
      Promise.resolve(said.map(() => ({ answer: `${draws.below(2)}`, isRight: false, score: draws.next() }))),
    maskDraw: () => draws.next(),
  });
  return { protocol, settings, policies, trajectories, views, drawn };
}

describe('any dialogue of sets of one to four', () => {
  it('gives rows of exactly what each decoder was fed and what it sampled', async () => {
    await fc.assert(
      fc.asyncProperty(anyDialogue, async (given) => {
        const { policies, trajectories, views } = await randomTalk(given);
        policies.forEach(({ sessions, maxPositions }, agent) => {
          trajectories.forEach((talked, row) => {
            const heard = (sessions[0] as FakeSession).rows[row];
            const built = viewRow(talked, agent, views);
            const spoke = talked.turns.some((one) => (one.agent as number) === agent);
            if (!spoke) {
              expect(heard?.ids).toEqual([]);
              expect(built.ids).toEqual(talked.prompts[agent]);
              return;
            }
            expect(built.ids).toEqual(heard?.ids);
            expect(built.isAction).toEqual(heard?.isSampled);
            expect(built.logprobs).toEqual(heard?.logprobs);
            expect(built.ids.length).toBeLessThanOrEqual(maxPositions);
            built.isAction.forEach((is, t) => {
              expect((talked.turns[built.turnIds[t] as number]?.agent as number | undefined) === agent).toBe(is);
            });
          });
        });
      }),
      { numRuns: 400 },
    );
  });

  it('draws every turn at an address of its own', async () => {
    await fc.assert(
      fc.asyncProperty(anyDialogue, async (given) => {
        const { drawn, trajectories } = await randomTalk(given);
        const asked = new Set(drawn);
        trajectories.forEach(({ turns }, row) => {
          for (const { index } of turns) expect(asked).toContain(`${row} ${index}`);
        });
        // Addresses are also computed for rows that have ended. These addresses are excluded here, because they are not
        // used and are equal for all later sets.
        const used = drawn.filter((address) => {
          const [row = 0, turn = 0] = address.split(' ').map(Number);
          return turn < (trajectories[row]?.turns.length ?? 0);
        });
        expect(new Set(used).size).toBe(used.length);
      }),
      { numRuns: 200 },
    );
  });

  it('goes round by round as its protocol says, and sets are whole', async () => {
    await fc.assert(
      fc.asyncProperty(anyDialogue, async (given) => {
        const { protocol, settings, policies, trajectories } = await randomTalk(given);
        const perRound = protocol.round.length;
        for (const { turns, finishCode } of trajectories) {
          setsOf(turns).forEach((set, s) => {
            expect(set.map(({ agent }) => agent as number)).toEqual(protocol.round[s % perRound]);
            for (const turn of set)
              expect([turn.round, setOf(turn)]).toEqual([Math.floor(s / perRound), set[0]?.index]);
          });
          turns.forEach((one, index) => {
            expect(one.index).toBe(index);
            expect(one.tokens.length).toBeLessThanOrEqual(settings.windows[one.role]);
          });
          const last = setsOf(turns).at(-1) ?? [];
          const isCut = last.some(({ isTruncated }) => isTruncated);
          const isFull = turns.length === settings.roundLimit * protocol.round.flat().length;
          const finish = turns.find((one) => one.isFinish && (one.agent as number) === protocol.finisher);
          const finishes = finish !== undefined;
          // After a turn with the finish token, only the rest of its round may follow, if `finishEnds` allows it.
          if (finish) expect(turns.at(-1)?.round).toBe(finish.round);
          if (finish && settings.finishEnds === 'atOnce') expect(last.map(setOf)).toContain(setOf(finish));
          if (settings.stopWhenTruncated && isCut) expect(finishCode).toBe(3);
          if (finishCode === 3) expect(settings.stopWhenTruncated && isCut).toBe(true);
          if (finishCode === 1) expect(isFull).toBe(true);
          if (finishCode === 2) expect(isFull).toBe(false);
          if (finishCode === 0 && protocol.finisher !== null) expect(finishes || protocol.stopsWhenAgreed).toBeTruthy();
          if (finishCode === 0 && protocol.finisher === null) expect(isFull || protocol.stopsWhenAgreed).toBeTruthy();
        }
        for (const { sessions } of policies) {
          const { requests, disposals } = sessions[0] as FakeSession;
          for (const { isActive } of requests) expect(isActive.some(Boolean)).toBe(true);
          expect(disposals).toBe(1);
        }
        const asked = policies.flatMap(({ sessions }) => sessions[0]?.requests ?? []);
        const active = asked.flatMap(({ isActive }) => isActive.filter(Boolean)).length;
        expect(active).toBe(trajectories.reduce((sum, { turns }) => sum + turns.length, 0));
      }),
      { numRuns: 300 },
    );
  });

  it('is read the same where it was stored before sets were: each turn is one of its own', () => {
    const stored = { ...trajectory, turns: trajectory.turns.map((one) => ({ ...one, set: one.index })) };
    for (const agent of [0, 1]) expect(viewRow(trajectory, agent, tokens)).toEqual(viewRow(stored, agent, tokens));
    expect(setsOf(trajectory.turns)).toEqual(trajectory.turns.map((one) => [one]));
  });
});
