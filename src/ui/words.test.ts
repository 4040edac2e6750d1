import { describe, expect, it } from 'vitest';
import { fieldAt, type ChoiceField } from '../config/describe.ts';
import type { Member } from '../records/cast.ts';
import { Language } from '../state/visitor/language.svelte.ts';
import {
  agentName,
  bare,
  bareSigned,
  brief,
  bytes,
  castOnShow,
  choiceLabel,
  count,
  decimal,
  duration,
  durationRange,
  percent,
  scientific,
  seenBy,
  signed,
  spokenToken,
} from './words.ts';

describe('numbers in words', () => {
  it('have no zero before the point in tables', () => {
    expect([0.81, 1, -0.412, 0].map((x) => bare(x))).toEqual(['.81', '1.00', '−.41', '.00']);
    expect(decimal(0.81)).toBe('0.81');
    expect(bare(10.5)).toBe('10.50');
  });

  it('are never a negative or signed zero', () => {
    expect([decimal(-0.001), bare(-0.001), signed(-0.001), signed(0.001), bareSigned(0)]).toEqual(
      '0.00 .00 0.00 0.00 .00'.split(' '),
    );
  });

  it('have a true minus sign', () => {
    expect([signed(0.87), signed(-0.87), bareSigned(0.87), bareSigned(-0.87)]).toEqual(
      '+0.87 −0.87 +.87 −.87'.split(' '),
    );
  });

  it('are a dash if they are missing, and NaN or ∞ if they are not finite', () => {
    expect([decimal(null), bare(undefined), signed(Number.NaN), decimal(-Infinity), brief(Infinity)]).toEqual(
      '– – NaN −∞ ∞'.split(' '),
    );
  });

  it('have powers of ten with superscripts', () => {
    expect([scientific(3e-4), scientific(1.5e-12), scientific(-2e6), scientific(0)]).toEqual(
      '3 × 10⁻⁴ | 1.5 × 10⁻¹² | −2 × 10⁶ | 0'.split(' | '),
    );
  });

  it('have about three significant digits at every size', () => {
    expect(brief(1.3e-13)).toBe('≈ 0');
    expect([0.000_3, 0.021, 1.837, 31.25, 312.4, 57_120, 0].map(brief)).toEqual(
      '3 × 10⁻⁴ | 0.021 | 1.84 | 31.3 | 312 | 57k | 0'.split(' | '),
    );
  });

  it('are counted in k and M, and rounding can lead to the next unit', () => {
    expect([950, 1_000, 57_344, 999_600, 1_234_567, 41_000].map(count)).toEqual('950 1k 57k 1M 1.2M 41k'.split(' '));
    expect([12, 5_400, 38_000_000, 999_600].map(bytes)).toEqual(['12 B', '5.4 kB', '38 MB', '1 MB']);
  });

  it('have a decimal comma in German', async () => {
    const all = () => [
      decimal(0.6),
      bare(0.81),
      signed(-1.5),
      bareSigned(0.87),
      scientific(1.5e-12),
      brief(0.021),
      count(1_234_567),
      bytes(5_400),
      duration(1_400),
    ];
    const english = all();
    await new Language().choose('de');
    expect(all()).toEqual(english.map((text) => text.replace('.', ',')));
    expect(all().join('')).not.toContain('.');
    expect(signed(0.001)).toBe('0,00');
    await new Language().choose('en');
    expect(all()).toEqual(english);
  });

  it('give an expected duration as a range around the measured one', () => {
    expect([4_000, 26_000, 40_000, 97_000, 168_000, 600_000, Number.NaN].map(durationRange)).toEqual(
      '10 s | 10 to 50 s | 20 to 80 s | 1 to 3 min | 1 to 6 min | 5 to 20 min | –'.split(' | '),
    );
  });

  it('give durations in natural units', () => {
    expect([40, 400, 9_949, 23_000, 59_700, 80_000, 7_200_000, 7_500_000, Number.NaN].map(duration)).toEqual(
      '40 ms | 0.4 s | 9.9 s | 23 s | 1 min | 1 min 20 s | 2 h | 2 h 5 min | –'.split(' | '),
    );
    expect(percent(0.184)).toBe('18 %');
  });
});

it('the special signs have names for screen readers', () => {
  expect(['⏎', '■', '×', '−', '7'].map(spokenToken)).toEqual(['end of turn', 'finish', 'times', 'minus', '7']);
  expect(spokenToken('*2')).toBe('times 2');
});

describe('the description of a team', () => {
  const rule = { name: 'rule', label: 'the rule' };
  const hidden = { ...rule, sentence: '' };
  const planner: Member = { role: 'metaThinking', sees: [hidden], seesNot: [] };
  const reasoner: Member = { role: 'reasoning', sees: [], seesNot: [hidden] };
  const debaters: Member[] = [0, 1, 2].map(() => ({ ...reasoner, role: 'debater' }));

  it('numbers agents that speak in the same role', () => {
    expect([0, 1].map((agent) => agentName(agent, ['metaThinking', 'reasoning']))).toEqual(['Planner', 'Reasoner']);
    expect([0, 1].map((agent) => agentName(agent, ['debater', 'debater']))).toEqual(['Debater 1', 'Debater 2']);
  });

  it('states which agents see a hidden text', () => {
    const [first, second, third] = debaters as [Member, Member, Member];
    const knowing = (member: Member): Member => ({ ...member, sees: [hidden], seesNot: [] });
    expect(
      [
        [planner, reasoner],
        [reasoner, knowing(reasoner)],
        [first, knowing(second), third],
        [knowing(first), knowing(second), third],
        debaters,
        debaters.map(knowing),
      ].map((cast) => seenBy(cast, rule)),
    ).toEqual([
      'Only the planner knows:',
      'Only reasoner 2 knows:',
      'Only debater 2 knows:',
      'seen by 2 of 3 agents:',
      'Nobody sees:',
      'rule:',
    ]);
  });

  it('shows a team as it was during the dialogue', () => {
    type Shown = NonNullable<Parameters<typeof castOnShow>[0]>;
    const talk = (roles: Member['role'][], lengths: number[]) =>
      ({
        prompts: lengths.map((length) => Array.from({ length }, () => 1)),
        turns: roles.map((role, agent) => ({ role, agent })),
      }) as unknown as Shown;
    const cast = [planner, reasoner];
    expect(castOnShow(null, cast)).toBe(cast);
    expect(castOnShow(talk([], []), cast)).toBe(cast);
    expect(castOnShow(talk(['metaThinking', 'reasoning'], [9, 5]), cast)).toEqual(cast);
    expect(castOnShow(talk(['metaThinking'], [9, 5]), cast)).toEqual(cast);
    expect(castOnShow(talk(['debater', 'debater', 'debater'], [5, 5, 9]), cast)).toEqual([
      debaters[0],
      debaters[1],
      { ...planner, role: 'debater' },
    ]);
  });
});

it('the number of parameters of a size depends on the vocabulary of the world', () => {
  const field = (path: string) => fieldAt(path) as ChoiceField;
  const size = field('agents.size');
  // The network has 57,072 parameters with a vocabulary of 32 tokens, and 196,608 more with 4,096 additional tokens.
  expect(choiceLabel(size, 'tiny', { tokens: 32 })).toBe('Tiny · 57k');
  expect(choiceLabel(size, 'tiny', { tokens: 4128 })).toBe('Tiny · 254k');
  expect(choiceLabel(size, 'tiny', {})).toBe('Tiny');
  expect(choiceLabel(field('world.name'), 'code', { tokens: 32 })).toBe('Code');
});
