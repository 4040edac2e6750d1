import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../base/random.ts';
import { protocolNames, type ProtocolName } from '../config/names.ts';
import { agentId } from '../records/ids.ts';
import type { Problem } from '../records/problem.ts';
import type { Trajectory, Turn } from '../records/trajectory.ts';
import { worlds } from '../tasks/registry.ts';
import { loadTokenizer, specialIds } from '../text/tokenizer.ts';
import { noParts, runDialogues } from './dialogue.ts';
import { fakePolicy, type FakeSession } from './fakePolicy.ts';
import { protocols } from './protocols/registry.ts';
import type { RolloutSettings } from './settings.ts';
import { turnContext, turnEnd, viewRow, type ViewTokens } from './view.ts';

const tokenizer = loadTokenizer();
const tokens: ViewTokens = {
  endOfTurn: specialIds.eot,
  finish: specialIds.finish,
  headers: { metaThinking: [specialIds.meta], reasoning: [specialIds.reason] },
};

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
    parts: noParts(),
    reason: '',
    reward: 0,
  };
}

const problem: Problem = { id: 'p', level: 1, expression: '7+4*2', rule: 'rightToLeft', answer: '5' };
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

describe('the prompts of a dialogue', () => {
  const world = worlds.houseRule;

  it.each(world.levels)('of level $level read back as each agent’s view of the problem', async ({ level }) => {
    const draws = new Draws(17, streams.problems, level);
    const problems = Array.from({ length: 200 }, () => world.draw(level, draws, 'training'));
    for (const name of protocolNames) {
      const protocol = protocols[name];
      const policies = protocol.roles.map(() => fakePolicy(() => [specialIds.finish], { maxPositions: 256 }));
      const trajectories = await runDialogues({
        ...{ problems, groups: problems.map((_, row) => row), protocol, settings: settingsOf(name), policies, tokens },
        prompt: (asked, agent) => tokenizer.encode(world.view(asked, protocol.roles[agent] ?? 'reasoning', name)),
        decode: (ids) => tokenizer.decode(ids),
        uniform: () => 0,
      });
      for (const { problem: asked, prompts } of trajectories) {
        prompts.forEach((prompt, agent) => {
          const seesRule = name === 'single' || protocol.roles[agent] === 'metaThinking';
          const expected = { expression: asked.expression, rule: seesRule ? asked.rule : null };
          expect(world.readView(tokenizer.decode(prompt))).toEqual(expected);
        });
      }
      const session = policies[0]?.sessions[0] as FakeSession;
      trajectories.forEach(({ prompts }, row) => {
        expect(session.rows[row]?.ids.slice(0, -2)).toEqual(prompts[0]);
      });
    }
  });
});

function settingsOf(protocolName: ProtocolName, changes: Partial<RolloutSettings> = {}): RolloutSettings {
  const windows = { metaThinking: 4, reasoning: 4 };
  const finish = { finishEnds: 'atOnce', stopWhenTruncated: true } as const;
  return {
    protocolName,
    roundLimit: protocolName === 'single' ? 1 : 4,
    windows,
    temperature: 1,
    ...finish,
    ...changes,
  };
}

const count = (min: number, max: number) => fc.integer({ min, max });
const anyDialogue = fc.record({
  protocolName: fc.constantFrom(...protocolNames),
  rows: count(1, 4),
  seed: count(0, 100_000),
  endShare: fc.constantFrom(0.05, 0.3, 0.7),
  maxPositions: fc.tuple(count(10, 70), count(10, 70)),
  hidesMessages: fc.boolean(),
  changes: fc.record({
    roundLimit: count(1, 5),
    windows: fc.record({ metaThinking: count(1, 6), reasoning: count(1, 6) }),
    finishEnds: fc.constantFrom('atOnce' as const, 'afterReply' as const),
    stopWhenTruncated: fc.boolean(),
  }),
});
type AnyDialogue = typeof anyDialogue extends fc.Arbitrary<infer T> ? T : never;

/** Talk of random tokens: ends of turns and of dialogues come by chance. */
async function randomTalk(given: AnyDialogue) {
  const draws = new Draws(given.seed, streams.control, 0);
  const settings = settingsOf(given.protocolName, given.changes);
  const protocol = protocols[given.protocolName];
  const token = () => (draws.next() < given.endShare ? 2 + draws.below(2) : 4 + draws.below(24));
  const say = () => {
    const ids = Array.from({ length: 6 }, token);
    const end = ids.findIndex((id) => id < 4);
    return end < 0 ? ids : ids.slice(0, end + 1);
  };
  const policies = protocol.roles.map((_, agent) =>
    fakePolicy(say, { maxPositions: given.maxPositions[agent] as number }),
  );
  const trajectories = await runDialogues({
    problems: Array.from({ length: given.rows }, () => problem),
    groups: Array.from({ length: given.rows }, () => 0),
    ...{ protocol, settings, policies, tokens, hiddenSpeakers: given.hidesMessages ? [0, 1] : [] },
    prompt: () => Array.from({ length: 1 + draws.below(7) }, () => 4 + draws.below(24)),
    decode: (ids) => tokenizer.decode(ids),
    uniform: () => 0,
  });
  return { protocol, settings, policies, trajectories };
}

describe('any dialogue', () => {
  it('gives rows of exactly what each decoder was fed and what it sampled', async () => {
    await fc.assert(
      fc.asyncProperty(anyDialogue, async (given) => {
        const { policies, trajectories } = await randomTalk(given);
        policies.forEach(({ sessions, maxPositions }, agent) => {
          trajectories.forEach((talked, row) => {
            const heard = (sessions[0] as FakeSession).rows[row];
            const built = viewRow(talked, agent, tokens);
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
      { numRuns: 300 },
    );
  });

  it('alternates as its protocol says, ends for the reason it gives, and asks nobody for nothing', async () => {
    await fc.assert(
      fc.asyncProperty(anyDialogue, async (given) => {
        const { protocol, settings, policies, trajectories } = await randomTalk(given);
        const agents = protocol.roles.length;
        for (const { turns, finishCode } of trajectories) {
          turns.forEach((one, index) => {
            expect([one.index, one.agent, one.round]).toEqual([index, index % agents, Math.floor(index / agents)]);
            expect(one.tokens.length).toBeLessThanOrEqual(settings.windows[one.role]);
          });
          const last = turns.at(-1);
          const finishes = turns.findIndex((one) => one.isFinish && (one.agent as number) === protocol.finisher);
          if (finishes >= 0) expect(turns.length - 1 - finishes).toBeLessThanOrEqual(1);
          if (finishCode === 3) expect([last?.isTruncated, settings.stopWhenTruncated]).toEqual([true, true]);
          if (finishCode === 0 && agents > 1) expect(finishes).toBeGreaterThanOrEqual(0);
          if (finishCode === 1 && agents > 1) expect(turns).toHaveLength(agents * settings.roundLimit);
          if (finishCode === 2) expect(turns.length).toBeLessThan(agents * settings.roundLimit);
          if (settings.stopWhenTruncated && last?.isTruncated) expect(finishCode).toBe(3);
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
});
