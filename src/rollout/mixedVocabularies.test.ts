// Tests of dialogues between agents with two vocabularies. Messages are passed between agents as text, and the rows of
// each agent consist of tokens of its own vocabulary.
import { sampleProblem } from '../records/testing/arbitrary.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../base/random.ts';
import { vocabularyNames } from '../tasks/testing/tokenizers.ts';
import { firstJoinedId } from '../extensions/worlds/houseRule/form.ts';
import type { Problem } from '../records/problem.ts';
import type { Protocol } from '../records/protocol.ts';
import { roles } from '../records/ids.ts';
import type { Trajectory } from '../records/trajectory.ts';
import { readTerminated, roleHeaders } from '../text/chatTemplate.ts';
import { loadTokenizer } from '../tasks/testing/tokenizers.ts';
import { runTrajectories } from './runTrajectories.ts';
import { fakePolicy, type FakeSession } from './testing/fakePolicy.ts';
import type { RolloutSettings } from './settings.ts';
import { heardPrompt, heardTokens, turnContext, viewRow, viewTokens } from './view.ts';

const problem: Problem = { ...sampleProblem, shown: '7', answer: '7' };
const [characters, joined] = vocabularyNames.map((name) => loadTokenizer(name)) as [Tokenizer, Tokenizer];
type Tokenizer = ReturnType<typeof loadTokenizer>;

const protocolOf = (agents: number, round: number[][]): Protocol => ({
  name: 'debate',
  roles: Array.from({ length: agents }, (_, agent) => roles[agent % 2] as Protocol['roles'][number]),
  sees: Array.from({ length: agents }, () => ['rule']),
  round,
  isOneRound: false,
  rounds: 2,
  finisher: null,
  answerFrom: 'majority',
  messengers: [],
  maskPeers: 0.3,
  hasFeedback: true,
});

const anyTeam = fc.record({
  isJoined: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  round: fc.constantFrom<number[][]>([[0], [1], [2]], [[0, 1, 2]], [[2, 0], [1]], [[1]]),
  seed: fc.integer({ min: 0, max: 100_000 }),
  stopWhenTruncated: fc.boolean(),
});

/** Every agent generates random tokens of its own vocabulary. */
async function randomTalk(given: typeof anyTeam extends fc.Arbitrary<infer T> ? T : never) {
  const draws = new Draws(given.seed, streams.control, 0);
  const tokenizers = given.isJoined.map((is) => (is ? joined : characters));
  const protocol = protocolOf(3, given.round);
  const tokens = viewTokens(protocol, tokenizers);
  const settings: RolloutSettings = {
    ...{ protocolName: 'debate', temperature: 1, roundLimit: 3, finishEnds: 'atOnce' },
    stopWhenTruncated: given.stopWhenTruncated,
    windows: Object.fromEntries(roles.map((role) => [role, 5])) as RolloutSettings['windows'],
  };
  const policies = tokenizers.map(({ vocabSize }) =>
    fakePolicy(
      () => {
        const ids = Array.from({ length: draws.below(6) }, () => 4 + draws.below(vocabSize - 4));
        return draws.next() < 0.7 ? [...ids.slice(0, 4), 2 + draws.below(2)] : [...ids, 5, 6, 7, 8, 9];
      },
      { maxPositions: 400 },
    ),
  );
  const trajectories = await runTrajectories({
    ...{ problems: [problem, problem], groups: [0, 0], protocol, settings, policies, tokens },
    prompt: (_, agent) => (tokenizers[agent] as Tokenizer).encode('<bos><rightToLeft>7+4*2<eot>'),
    decode: (ids, agent) => (tokenizers[agent] as Tokenizer).decode(ids),
    address: () => 0,
    judge: (said) => Promise.resolve(said.map(() => ({ answer: '1', isRight: false, score: draws.next() }))),
    maskDraw: () => draws.next(),
  });
  return { tokenizers, tokens, policies, trajectories };
}

describe('any dialogue of mixed vocabularies', () => {
  it('gives rows of exactly what each decoder was fed and what it sampled, in its own tokens', async () => {
    await fc.assert(
      fc.asyncProperty(anyTeam, async (given) => {
        const { tokenizers, tokens, policies, trajectories } = await randomTalk(given);
        policies.forEach(({ sessions }, agent) => {
          trajectories.forEach((talked, row) => {
            if (!talked.turns.some((turn) => (turn.agent as number) === agent)) return;
            const heard = (sessions[0] as FakeSession).rows[row];
            const built = viewRow(talked, agent, tokens);
            expect(built.ids).toEqual(heard?.ids);
            expect(built.isAction).toEqual(heard?.isSampled);
            expect(built.logprobs).toEqual(heard?.logprobs);
            const { vocabSize } = tokenizers[agent] as Tokenizer;
            for (const id of built.ids) expect(id).toBeLessThan(vocabSize);
          });
        });
      }),
      { numRuns: 100 },
    );
  });

  it('says the same to all who hear it, whatever they read it with', async () => {
    await fc.assert(
      fc.asyncProperty(anyTeam, async (given) => {
        const { tokenizers, tokens, trajectories } = await randomTalk(given);
        for (const turn of trajectories.flatMap(({ turns }) => turns)) {
          const own = tokenizers[turn.agent] as Tokenizer;
          const said = own.decode(turn.tokens);
          tokenizers.forEach((tokenizer, listener) => {
            expect(tokenizer.decode(heardTokens(turn, tokens, listener))).toBe(said);
            const end = turn.isTruncated ? '<eot>' : '';
            const { maskedFor: _, feedback: __, ...plain } = turn;
            expect(tokenizer.decode(turnContext(plain, tokens, listener))).toBe(roleHeaders[turn.role] + said + end);
          });
          expect(readTerminated(said)).toEqual({
            text: turn.text,
            isFinish: turn.isFinish,
            isTruncated: turn.isTruncated,
          });
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('a view', () => {
  const turns = (ids: number[]): Trajectory['turns'] => [
    {
      ...{ index: 0, round: 0, agent: 1, role: 'reasoning', tokens: ids, logprobs: ids.map(() => -1) },
      ...{ text: joined.decode(ids.slice(0, -1)), isTruncated: false, isFinish: false },
    } as unknown as Trajectory['turns'][number],
  ];
  const tokens = viewTokens({}, [characters, joined]);

  it('keeps an agent’s own words as they were sampled, and has those of others as they are written', () => {
    const split = [13, 21, 11, 2]; // 4, *, 2: nobody would write it so in joined tokens
    const trajectory = { turns: turns(split), prompts: [[1], [1]] } as unknown as Trajectory;
    expect(viewRow(trajectory, 1, tokens).ids).toEqual([1, 5, ...split]);
    const whole = [13, firstJoinedId + 22, 2];
    expect(joined.decode(whole)).toBe('4*2<eot>');
    expect(heardTokens(turns(whole)[0] as never, tokens, 0)).toEqual(split);
    expect(heardTokens(turns(whole)[0] as never, viewTokens({}, [characters, joined, joined]), 2)).toEqual(whole);
  });

  it('of the first agent has the prompt of another in its tokens', () => {
    const prompt = joined.encode('<bos>7+4*2<eot>');
    expect(characters.decode(heardPrompt(prompt, tokens, 1))).toBe('<bos>7+4*2<eot>');
    expect(heardPrompt(prompt, viewTokens({}, [characters]), 1)).toEqual(prompt);
  });

  it('of equal vocabularies is what it was without any', () => {
    expect(viewTokens({}, [characters, characters])).toEqual(viewTokens({}, [characters]));
  });
});
