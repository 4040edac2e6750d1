import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import type { ProtocolName } from '../../config/names.ts';
import { readTerminated } from '../../text/chatTemplate.ts';
import { loadTokenizer } from '../../text/tokenizer.ts';
import type { DemonstrationOptions, Spoken } from '../world.ts';
import { houseRule } from './houseRule.ts';
import { levelOf } from './levels.ts';
import { problemOf } from './problems.ts';

const tokenizer = loadTokenizer();
const clean: DemonstrationOptions = { goodPlans: 1, resultNoise: 0 };
const noisy: DemonstrationOptions = { goodPlans: 0.2, resultNoise: 0.3 };
const levels = houseRule.levels.map(({ level }) => level);

function demonstrations(level: number, options: DemonstrationOptions, protocol: ProtocolName, count: number) {
  const draws = new Draws(5, streams.demonstrations, level);
  return Array.from({ length: count }, () => {
    const problem = houseRule.draw(level, draws, 'training');
    const raws = houseRule.demonstrate(problem, draws, options, protocol);
    const messages: Spoken[] = raws.map((raw, i) => ({
      ...readTerminated(raw),
      role: protocol === 'reMA' && i % 2 === 0 ? 'metaThinking' : 'reasoning',
    }));
    return { raws, messages, assessment: houseRule.assess(problem, messages, protocol) };
  });
}

describe('a demonstration', () => {
  it('reads as written in the contract', () => {
    const problem = problemOf(1, '7+4*2', 'rightToLeft');
    const show = (options: DemonstrationOptions, protocol: ProtocolName) =>
      houseRule.demonstrate(problem, new Draws(1, streams.demonstrations, 0), options, protocol);
    expect(show(clean, 'reMA')).toEqual(['4*2<eot>', '7+8<eot>', '7+8<eot>', '5<eot>', '<finish>']);
    expect(show(clean, 'single')).toEqual(['4*2=7+8;7+8=5<eot>']);
    const answered = ['4*2<eot>', '7+8<eot>', '7+8<finish>', '5<eot>'];
    expect(show({ ...clean, finishEnds: 'afterReply' }, 'reMA')).toEqual(answered);
  });

  it.each(levels)('of level %i with good plans and no noise is right and earns every part', (level) => {
    const { operations } = levelOf(level);
    for (const { messages, assessment } of demonstrations(level, clean, 'reMA', 200)) {
      const total = (name: 'legalOperation' | 'rewrite' | 'finished' | 'rightAnswer') =>
        assessment.perTurn.reduce((sum, { parts }) => sum + parts[name], 0);
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
    for (const { assessment } of demonstrations(level, clean, 'single', 200)) {
      expect(assessment.perTurn[0]?.parts).toEqual({ rightAnswer: 1, legalOperation: 1, rewrite: 1, finished: 1 });
    }
  });

  it.each(levels)('of level %i fits the limits, whatever its noise', (level) => {
    const limits = houseRule.limits(level, 'reMA');
    let longestRounds = 0;
    for (const { raws } of demonstrations(level, noisy, 'reMA', 2_000)) {
      const lengths = raws.map((raw) => tokenizer.encode(raw).length);
      expect(Math.max(...lengths.filter((_, i) => i % 2 === 0))).toBeLessThanOrEqual(limits.metaWindow);
      expect(Math.max(...lengths.filter((_, i) => i % 2 === 1))).toBeLessThanOrEqual(limits.reasonWindow);
      longestRounds = Math.max(longestRounds, Math.ceil(raws.length / 2));
    }
    expect(limits.roundLimit).toBe(longestRounds + 1);
    const { reasonWindow } = houseRule.limits(level, 'single');
    for (const { raws } of demonstrations(level, noisy, 'single', 2_000)) {
      expect(tokenizer.encode(raws[0]!).length).toBeLessThanOrEqual(reasonWindow);
    }
  });

  it('with bad plans still names operations that stand there, and is often wrong', () => {
    const shown = demonstrations(2, { goodPlans: 0, resultNoise: 0 }, 'reMA', 600);
    for (const { assessment } of shown) {
      expect(assessment.perTurn.reduce((sum, { parts }) => sum + parts.legalOperation + parts.rewrite, 0)).toBe(6);
    }
    const share = shown.filter(({ assessment }) => assessment.isRight).length / shown.length;
    expect(share).toBeGreaterThan(0.2);
    expect(share).toBeLessThan(0.6);
  });

  it.each(levels)('of level %i has the asked share of wrong results', (level) => {
    const shown = demonstrations(level, { goodPlans: 1, resultNoise: 0.25 }, 'reMA', 500);
    const replies = shown.flatMap(({ assessment }) => assessment.perTurn.filter((_, i) => i % 2 === 1));
    const wrong = replies.filter(({ parts }) => parts.rewrite === 0).length / replies.length;
    expect(wrong).toBeGreaterThan(0.2);
    expect(wrong).toBeLessThan(0.3);
  });
});
