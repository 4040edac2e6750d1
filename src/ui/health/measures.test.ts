import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { firstPreset, presetConfig, type PresetName } from '../../config/presets.ts';
import type { Evaluation } from '../../records/metrics.ts';
import { MetricLog } from '../../state/trainer/metricLog.ts';
import { partingOf, type Parting } from '../../state/run/paidAndTrue.ts';
import { partingWords } from '../charts/chartNotes.ts';
import { healthCards } from './measures.ts';
import { healthSpan, type HealthCard, type HealthInputs } from './reading.ts';

/** The main cards after a few iterations whose metrics have these values. */
const mainCards = (values: Record<string, number>) => {
  const metrics = new MetricLog();
  if (Object.keys(values).length > 0)
    for (let iteration = 1; iteration <= healthSpan; iteration++) metrics.append({ iteration, values });
  return healthCards({ metrics, evaluations: [], failure: null }).filter(({ isMain }) => isMain);
};

/** The metrics of a real run up to the given iteration. They were recorded by `npm run bench:health`. */
interface Log {
  values: Record<string, (number | null)[]>;
  evaluations: Pick<Evaluation, 'iteration' | 'accuracy' | 'low' | 'high'>[];
  failure: string;
}
const logs = JSON.parse(readFileSync('bench/results/health.json', 'utf8')) as Record<string, Log>;
const lengthOf = ({ values }: Log) => Math.max(...Object.values(values).map(({ length }) => length));

function* watchedFrom(name: string): Generator<HealthInputs & { iteration: number }> {
  const { values, evaluations, failure } = logs[name] as Log;
  const metrics = new MetricLog();
  for (let i = 0; i < lengthOf(logs[name] as Log); i++) {
    const row = Object.entries(values).flatMap(([metric, all]) => (all[i] == null ? [] : [[metric, all[i]]]));
    metrics.append({ iteration: i + 1, values: Object.fromEntries(row) as Record<string, number> });
    const known = evaluations.filter(({ iteration }) => iteration <= i + 1) as Evaluation[];
    yield {
      iteration: i + 1,
      metrics,
      evaluations: known,
      failure: failure ? { name: failure.split(':')[0] as string } : null,
    };
  }
}

/** For each iteration, the names of the highlighted cards. */
const rung = (name: string) => [
  ...mapped(watchedFrom(name), (watched) =>
    healthCards(watched)
      .filter(({ tone }) => tone === 'look')
      .map((card) => card.name),
  ),
];
function* mapped<A, B>(all: Iterable<A>, of: (one: A) => B): Generator<B> {
  for (const one of all) yield of(one);
}

describe('health', () => {
  it('has only unknown cards before the first iteration', () => {
    expect(mainCards({}).map(({ tone }) => tone)).toEqual(Array.from({ length: 5 }, () => 'unknown'));
  });

  it('has no card for dead groups if the learner does not compare groups', () => {
    const cards = (preset: PresetName) =>
      healthCards({ metrics: new MetricLog(), evaluations: [], failure: null, run: { config: presetConfig(preset) } });
    expect([cards('default').length, cards('ppo').length]).toEqual([5, 4]);
    expect(cards('ppo').map(({ name }) => name)).not.toContain('Dead groups');
  });

  it('gives a warning beyond each threshold, and not before', () => {
    const values: Record<string, number> = {
      'charts/dead_groups': 0.51,
      'charts/training_accuracy': 0.25,
      'charts/finished': 0.79,
      'charts/truncated': 0.11,
      'losses/entropy': 0.019,
      'losses/approx_kl': 0.011,
    };
    expect(mainCards(values).every(({ tone }) => tone === 'look')).toBe(true);
    const well: Record<string, number> = {
      'charts/dead_groups': 0.18,
      'charts/finished': 0.97,
      'charts/truncated': 0,
      'losses/entropy': 0.15,
      'losses/approx_kl': 0.002,
    };
    const cards = mainCards(well);
    expect(cards.every(({ tone }) => tone === 'fine')).toBe(true);
    expect(cards.map(({ title }) => title)).toEqual(
      '18 % of groups have no gradient | Finishes properly | Turns fit | Exploring | Small updates'.split(' | '),
    );
  });

  it('accepts cut turns while nearly all answers are right', () => {
    const cards = (right: number) =>
      mainCards({ 'charts/truncated': 0.46, 'charts/finished': 0.59, 'charts/training_accuracy': right }).map(
        ({ name, tone }) => [name, tone],
      );
    expect(cards(0.8)).toEqual([
      ['Finishes properly', 'fine'],
      ['Turns cut', 'fine'],
    ]);
    expect(cards(0.79)).toEqual([
      ['Finishes properly', 'look'],
      ['Turns cut', 'look'],
    ]);
  });

  it('says that unfinished dialogues earn nothing only if the settings of the run say so', () => {
    const metrics = new MetricLog();
    for (let iteration = 1; iteration <= healthSpan; iteration++)
      metrics.append({ iteration, values: { 'charts/finished': 0.4 } });
    const said = (preset: PresetName) =>
      healthCards({ metrics, evaluations: [], failure: null, run: { config: presetConfig(preset) } })
        .filter(({ name }) => name === 'Finishes properly')
        .map(({ detail }) => detail);
    expect(said('default')).toEqual(['40 % of dialogues finish; the others earn nothing']);
    expect(said('passItOn')).toEqual(['40 % of dialogues finish; the others are rewarded too']);
  });

  it('ignores faults of the start at iterations 1 and 2, but not faults that training caused', () => {
    const values: Record<string, number> = {
      'charts/unanswered': 0.35,
      'charts/causal_influence': 0.01,
      'charts/truncated': 0.4,
      'charts/finished': 0.5,
      'losses/approx_kl': 0.3,
    };
    const metrics = new MetricLog();
    const looked = () =>
      healthCards({ metrics, evaluations: [], failure: null }).flatMap(({ tone, name }) =>
        tone === 'look' ? name : [],
      );
    for (let iteration = 1; iteration < healthSpan; iteration++) {
      metrics.append({ iteration, values });
      expect(looked()).toEqual(['Small updates']);
    }
    metrics.append({ iteration: healthSpan, values });
    expect(looked()).toEqual(
      expect.arrayContaining(['Answers first', 'Messages read', 'Turns cut', 'Finishes properly']),
    );
  });

  it('distinguishes groups that are dead because all answers are right from those with all wrong', () => {
    const values = (right: number): Record<string, number> => ({
      'charts/dead_groups': 0.9,
      'charts/training_accuracy': right,
    });
    const card = (right: number) => mainCards(values(right))[0] as HealthCard;
    expect(card(0.96)).toMatchObject({
      tone: 'fine',
      title: '90 % of groups have no gradient',
      detail: 'in most groups without gradient, all attempts are right',
    });
    expect(card(0.5)).toMatchObject({ tone: 'fine', detail: 'all right or all wrong' });
    expect(card(0.46).tone).toBe('fine');
    expect(card(0.44).tone).toBe('look');
    // If the share of right dialogues was not stored with a run, the result must not depend on this share.
    expect(card(0.04)).toMatchObject({
      tone: 'look',
      detail: 'in most groups without gradient, all attempts are wrong: try an easier level?',
    });
    expect(mainCards({ 'charts/dead_groups': 0.9 })[0]?.tone).toBe('look');
  });

  it('distinguishes random talk from exploration', () => {
    const card = (entropy: number) => mainCards({ 'losses/entropy': entropy })[0] as HealthCard;
    expect(card(1.99).title).toBe('Exploring');
    expect(card(Math.log(29))).toMatchObject({
      tone: 'look',
      title: 'Random talk',
      detail: 'entropy 3.37, as for 29 equally likely choices',
    });
  });

  it('accepts little exploration if nearly all answers are right, and otherwise warns', () => {
    const values = (right: number): Record<string, number> => ({
      'losses/entropy': 0.003,
      'charts/training_accuracy': right,
    });
    const card = (right: number) => mainCards(values(right)).find(({ name }) => name === 'Exploring');
    expect(card(0.96)).toMatchObject({
      tone: 'fine',
      title: 'Little exploration',
      detail: 'entropy 0.003: this is normal after convergence',
    });
    expect(card(0.5)).toMatchObject({ tone: 'look', detail: 'entropy 0.003: raise the entropy bonus?' });
  });

  it('recognises a too high learning rate by the change of the policy', () => {
    const card = (kl: number) => mainCards({ 'losses/approx_kl': kl })[0] as HealthCard;
    // The values are medians over five iterations of runs with the presets “Two minds, one sum” and “Too fast”.
    expect(card(0.0009)).toMatchObject({ tone: 'fine', detail: 'KL 0.001 per iteration' });
    expect(card(0.0138)).toMatchObject({
      tone: 'look',
      title: 'Large updates',
      detail: 'KL is 0.014: lower the learning rate?',
    });
  });

  it('leaves out cards without a measure as soon as the others have one', () => {
    const withoutGroups: Record<string, number> = {
      'charts/finished': 1,
      'charts/truncated': 0,
      'losses/entropy': 0.1,
    };
    const names = mainCards(withoutGroups).map(({ name }) => name);
    expect(names).toEqual(['Finishes properly', 'Turns cut', 'Exploring']);
  });
});

describe('the health of a recorded run', () => {
  const seeds = [11, 12, 13, 14, 15];
  it.each([firstPreset, 'default'].flatMap((preset) => seeds.map((seed) => `${preset} ${seed}`)))(
    'has no warning in %s at any iteration',
    (name) => {
      // One of these logs must contain the metric of the newest card.
      expect(Object.keys((logs[`${firstPreset} 11`] as Log).values)).toContain('charts/repeated');
      const all = rung(name);
      expect(all).toHaveLength(100);
      expect(all.flatMap((names, i) => names.map((name) => `${i + 1}: ${name}`))).toEqual([]);
    },
  );

  it.each([
    ['random weights', 'babble', ['Exploring', 'Dead groups', 'Turns cut', 'Finishes properly']],
    ['a reward for finishing alone', 'lazy', ['No lazy agent', 'Answers first', 'Messages read']],
    ['a reasoner taught to say nothing', 'empty', ['No lazy agent']],
    ['a reasoner taught to repeat the plan', 'copied', ['Own words']],
    ['a reasoner taught to say the same again and again', 'repeated', ['No repetition']],
    ['a planner that is shown the answer', 'leaked', ['No leaks']],
    ['steps compared by turn', 'mixed', ['Turns of one kind']],
    [
      'a reward for brevity alone',
      'paidForLength',
      ['Reward and accuracy', 'No lazy agent', 'Best kept', 'Messages read'],
    ],
    ['the scores of a verifier as the only reward', 'verifierAlone', ['Reward and accuracy', 'Best kept']],
    ['large rewards, undivided, over eight epochs', 'exploding', ['Steady gradient']],
    ['recall that is not paid', 'forgetting', ['Recall']],
  ])('warns of %s', (_, name, expected) => {
    const ever = new Set(rung(name).flat());
    expect(expected.filter((one) => !ever.has(one))).toEqual([]);
  });

  // The runs of `npm run bench:claims` that confirmed these effects, with seed 21. The first arm of each claim has the
  // fault, and the second does not.
  it.each([
    ['paid for short turns an agent falls silent', 'lazy-agent', ['No lazy agent', 'Best kept', 'Messages read']],
    ['the verifier alone pays', 'gamed-verifier', ['Reward and accuracy', 'Best kept']],
    ['the learning rate is too high', 'collapse', ['Small updates', 'Best kept', 'Finishes properly']],
  ])('warns in the arm of a claim in which %s, and not in the other arm', (_, claim, expected) => {
    const [first, second] = [rung(`${claim} 1`), rung(`${claim} 2`)];
    expect(expected.filter((one) => !first.flat().includes(one))).toEqual([]);
    expect(expected.filter((one) => second.flat().includes(one))).toEqual([]);
    expect(first.at(-1)).toEqual(expect.arrayContaining(['Best kept']));
  });

  // Runs of `npm run words` with SmolLM2-135M-Instruct. The agents that nobody hears cannot learn, and a reasoner that
  // always gives the same number has stopped to learn.
  it.each<[PresetName, string, string[]]>([
    ['passTwoOn', 'sftRl 1', []],
    ['sayTheOrder', 'sftRl 5', []],
    ['sayTheOrder', 'sftRl 6', []],
    ['sayTheOrder', 'sftRl 7', []],
    ['countLegs', 'sftRl 1', ['Dead groups', 'Messages read']],
  ])('of a language model, %s %s, has the warnings %j', (preset, run, expected) => {
    const config = presetConfig(preset);
    const names = mapped(watchedFrom(`${preset} ${run}`), (watched) =>
      healthCards({ ...watched, run: { config } }).flatMap(({ tone, name }) => (tone === 'look' ? name : [])),
    );
    expect([...new Set([...names].flat())].sort()).toEqual(expected);
  });

  it('warns of the silent agent of the claim while the team is still better than its warm start', () => {
    const heard = rung('lazy-agent 1').findIndex((names) => names.includes('No lazy agent')) + 1;
    const { evaluations } = logs['lazy-agent 1'] as Log;
    const [start] = evaluations;
    const then = evaluations.findLast(({ iteration }) => iteration <= heard);
    expect(heard).toBeGreaterThan(0);
    expect(then?.accuracy).toBeGreaterThan(start?.accuracy ?? 1);
  });

  it('states where reward and accuracy diverge if brevity is rewarded, and both values since then', () => {
    const { metrics } = [...watchedFrom('paidForLength')].at(-1) as HealthInputs;
    const parting = partingOf(metrics.drawn) as Parting;
    expect(parting.paid.now).toBeGreaterThan(3 * parting.paid.before);
    expect(parting.right.now).toBeLessThan(0.01);
    expect(partingWords(parting)).toMatch(
      /^Reward and accuracy diverge after iteration \d: mean reward 1\.\d\d → 5\.\d\d, accuracy 0\.2\d → 0\.00 since then\.$/,
    );
  });

  it('has no warning about the notes of a reader that is rewarded for them', () => {
    expect(
      rung('recall')
        .flat()
        .filter((name) => ['Recall', 'Own words', 'No leaks', 'Turns of one kind'].includes(name)),
    ).toEqual([]);
  });

  it('has a warning for a run that ended at a number that is not finite', () => {
    const [watched] = watchedFrom('lazy');
    const cards = healthCards({ ...(watched as HealthInputs), failure: { name: 'NumericsError' } });
    expect(cards.find(({ name }) => name === 'Steady gradient')).toMatchObject({ tone: 'look', title: 'Not finite' });
  });

  it('refers from a card to the lesson that shows the fault', () => {
    const [watched] = watchedFrom('lazy');
    const cards = healthCards({ ...(watched as HealthInputs), failure: { name: 'NumericsError' } });
    expect(cards.find(({ name }) => name === 'Steady gradient')?.lesson).toBe('tooFast');
  });
});
