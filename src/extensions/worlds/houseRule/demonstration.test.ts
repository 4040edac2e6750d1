import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../../../base/random.ts';
import type { Protocol } from '../../../records/protocol.ts';
import { readTerminated } from '../../../text/chatTemplate.ts';
import type { DemonstrationOptions, Utterance } from '../../../tasks/world.ts';
import { assess } from './assessment.ts';
import { world as houseRule } from './world.ts';
import { levelOf } from './levels.ts';
import { problemOf } from './problems.ts';

const clean: DemonstrationOptions = { goodPlans: 1, resultNoise: 0 };
const noisy: DemonstrationOptions = { goodPlans: 0.2, resultNoise: 0.3 };
const levels = houseRule.levels.map(({ level }) => level);

const common = { isOneRound: false, rounds: 2, finisher: null, messengers: [] };
const reMA: Protocol = {
  ...{ name: 'reMA', roles: ['metaThinking', 'reasoning'], sees: [['rule'], []], round: [[0], [1]] },
  ...{ ...common, hasSteps: true, finisher: 0, answerFrom: 1 },
};
const single: Protocol = {
  ...{ name: 'single', roles: ['reasoning'], sees: [['rule']], round: [[0]], ...common, answerFrom: 0 },
};
const debate = (given: Partial<Protocol> = {}): Protocol => ({
  ...{ name: 'debate', roles: ['debater', 'debater', 'debater'], sees: [['rule'], [], []] },
  ...{ round: [[0, 1, 2]], ...common, answerFrom: 'majority', ...given },
});

function demonstrations(level: number, options: DemonstrationOptions, protocol: Protocol, count: number) {
  const draws = new Draws(5, streams.demonstrations, level);
  return Array.from({ length: count }, () => {
    const problem = houseRule.draw(level, draws, 'training');
    const said = houseRule.demonstrate(problem, draws, options, protocol);
    const raws = said.map(({ message }) => message);
    const messages = said.map(({ agent, message }): Utterance => ({
      ...readTerminated(message),
      agent,
      role: protocol.roles[agent] ?? 'reasoning',
    }));
    return { problem, said, raws, messages, assessment: assess(problem, messages, protocol) };
  });
}

describe('a demonstration', () => {
  it('has the documented text', () => {
    const problem = problemOf(1, '7+4*2', 'rightToLeft');
    const show = (options: DemonstrationOptions, protocol: Protocol) =>
      houseRule
        .demonstrate(problem, new Draws(1, streams.demonstrations, 0), options, protocol)
        .map((one) => one.message);
    expect(show(clean, reMA)).toEqual(['4*2<eot>', '7+8<eot>', '7+8<eot>', '5<eot>', '<finish>']);
    expect(show(clean, single)).toEqual(['4*2=7+8;7+8=5<eot>']);
    const answered = ['4*2<eot>', '7+8<eot>', '7+8<finish>', '5<eot>'];
    expect(show({ ...clean, finishEnds: 'afterReply' }, reMA)).toEqual(answered);
  });

  it.each(levels)('of level %i with good plans and no noise is right and earns every part', (level) => {
    const { operations } = levelOf(level);
    for (const { messages, assessment } of demonstrations(level, clean, reMA, 200)) {
      const total = (name: 'legalOperation' | 'rewrite' | 'finished' | 'rightAnswer') =>
        assessment.perTurn.reduce((sum, { parts }) => sum + (parts[name] ?? 0), 0);
      expect(messages).toHaveLength(2 * operations + 1);
      expect(assessment.isRight).toBe(true);
      expect(assessment.potentials).toEqual(messages.map(() => 1).concat(1));
      expect([total('legalOperation'), total('rewrite'), total('finished'), total('rightAnswer')]).toEqual([
        operations,
        operations,
        1,
        1,
      ]);
    }
    for (const { assessment } of demonstrations(level, clean, single, 200)) {
      expect(assessment.perTurn[0]?.parts).toEqual({
        ...{ rightAnswer: 1, legalOperation: 1, rewrite: 1, finished: 1, format: 1 },
      });
    }
  });

  it.each(levels)('of level %i needs at most all rounds but one, whatever its noise', (level) => {
    const rounds = demonstrations(level, noisy, reMA, 2_000).map(({ raws }) => Math.ceil(raws.length / 2));
    expect(houseRule.limits(level, reMA).roundLimit).toBe(Math.max(...rounds) + 1);
  });

  it('with bad plans still names operations of the expression, and is often wrong', () => {
    const shown = demonstrations(2, { goodPlans: 0, resultNoise: 0 }, reMA, 600);
    for (const { assessment } of shown) {
      expect(assessment.perTurn.reduce((sum, { parts }) => sum + parts['legalOperation']! + parts['rewrite']!, 0)).toBe(
        6,
      );
    }
    const share = shown.filter(({ assessment }) => assessment.isRight).length / shown.length;
    expect(share).toBeGreaterThan(0.2);
    expect(share).toBeLessThan(0.6);
  });

  it.each(levels)('of level %i has the requested share of wrong results', (level) => {
    const shown = demonstrations(level, { goodPlans: 1, resultNoise: 0.25 }, reMA, 500);
    const replies = shown.flatMap(({ assessment }) => assessment.perTurn.filter((_, i) => i % 2 === 1));
    const wrong = replies.filter(({ parts }) => parts.rewrite === 0).length / replies.length;
    expect(wrong).toBeGreaterThan(0.2);
    expect(wrong).toBeLessThan(0.3);
  });
});

describe('a demonstration of answers', () => {
  it('lets all agents of a round answer before any is heard', () => {
    const [shown] = demonstrations(1, { ...clean, rounds: 2 }, debate(), 1);
    expect(shown?.said.map(({ agent, round }) => [agent, round])).toEqual([
      [0, 0],
      [1, 0],
      [2, 0],
      [0, 1],
      [1, 1],
      [2, 1],
    ]);
  });

  it('with good plans lets the agent with the rule stay right, and the others adopt its answer', () => {
    for (const { raws, assessment } of demonstrations(1, { ...clean, rounds: 2 }, debate(), 200)) {
      expect(assessment.perTurn[0]?.isRight).toBe(true);
      expect(raws.slice(3)).toEqual([raws[0], raws[0], raws[0]]);
      expect(assessment.isRight).toBe(true);
    }
    const blind = demonstrations(1, clean, debate(), 400).flatMap(({ assessment }) => assessment.perTurn.slice(1));
    const share = blind.filter(({ isRight }) => isRight).length / blind.length;
    expect(share).toBeGreaterThan(0.35); // they cannot know: any order of the operations
    expect(share).toBeLessThan(0.65);
  });

  it('without good plans repeats earlier answers, right or wrong', () => {
    const shown = demonstrations(1, { goodPlans: 0, resultNoise: 0, rounds: 2 }, debate(), 300);
    const isCopy = shown.flatMap(({ raws }) => raws.slice(3).map((raw) => raws.slice(0, 3).includes(raw)));
    expect(isCopy.every(Boolean)).toBe(true);
    const moved = shown.filter(({ raws }) => raws[4] !== raws[1]).length / shown.length;
    expect(moved).toBeGreaterThan(0.2);
  });

  it('never adopts a withheld answer, and withholds the requested share', () => {
    const masked = debate({ maskPeers: 0.5 });
    const shown = demonstrations(1, { ...clean, rounds: 2 }, masked, 300);
    let [count, most] = [0, 0];
    for (const { said, raws } of shown) {
      most += 12;
      count += said.reduce((sum, { maskedFor }) => sum + (maskedFor?.length ?? 0), 0);
      said.slice(3).forEach(({ agent, message }) => {
        const readable = [0, 1, 2].filter((other) => other === agent || !said[other]?.maskedFor?.includes(agent));
        expect(readable.map((other) => raws[other])).toContain(message);
      });
    }
    expect(count / most).toBeGreaterThan(0.46);
    expect(count / most).toBeLessThan(0.54);
  });

  it('stops when enough agents agree, like the dialogues', () => {
    const shown = demonstrations(1, { goodPlans: 0.5, resultNoise: 0, rounds: 4 }, debate({ stopsWhenAgreed: 1 }), 200);
    for (const { assessment, messages } of shown) {
      const rounds = messages.length / 3;
      const said = (round: number) =>
        new Set(messages.slice(3 * round, 3 * round + 3).map(({ text }) => text.slice(text.lastIndexOf('='))));
      for (let round = 0; round < rounds - 1; round++) expect(said(round).size).toBeGreaterThan(1);
      if (rounds < 4) expect(said(rounds - 1).size).toBe(1);
      expect(assessment.perTurn).toHaveLength(messages.length);
    }
    expect(new Set(shown.map(({ messages }) => messages.length)).size).toBeGreaterThan(1);
  });

  it('lets a leader give the answer of most members, and members hear only the leader', () => {
    const summary = debate({
      ...{ name: 'summary', sees: [['rule'], ['rule'], []], round: [[0, 1], [2]], answerFrom: 2 },
      hears: [[2], [2], [0, 1]],
    });
    for (const { raws, assessment } of demonstrations(1, clean, summary, 100)) {
      expect(raws).toHaveLength(3);
      expect(raws[2]).toBe(raws[0]);
      expect(assessment.isRight).toBe(true);
    }
  });

  it('has the scores that the judge gives its answers', async () => {
    for (const { problem, said, messages } of demonstrations(1, { ...noisy, rounds: 2 }, debate(), 50)) {
      const judged = await Promise.all(messages.map((message) => houseRule.judge(problem, message)));
      expect(said.map(({ score }) => score)).toEqual(judged.map(({ score }) => score));
    }
  });
});
