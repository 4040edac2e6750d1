// Whatever is asked for, doing what refusals say ends in settings that can run, and no refusal undoes another's remedy.
import { expect, it } from 'vitest';
import { Draws, streams } from '../base/random.ts';
import { describeFields, fieldAt, type Field } from './describe.ts';
import { followed, merged, type Draft } from './remedies.ts';

/** A value from the whole range of a field, ends and zero more often than others. */
function drawValue(field: Field, draws: Draws): unknown {
  if (field.kind === 'flag') return draws.pick([true, false]);
  if (field.kind === 'choice') return draws.pick([...field.names]);
  if (field.kind === 'agentSet') return draws.pick([[], [0], [1], [0, 1], [5]]);
  const { min, max, fallback } = field;
  const at = draws.pick([min, max, fallback, Math.min(max, Math.max(min, 1)), (min + max) / 2]);
  return field.kind === 'whole' ? Math.round(at) : at;
}

function drawDraft(fields: readonly Field[], count: number, draws: Draws): Draft {
  const chosen = Array.from({ length: count }, () => draws.pick([...fields]));
  return merged(...chosen.map((field) => ({ [field.section]: { [field.name]: drawValue(field, draws) } })));
}

it('following refusals ends in settings that can run, each remedy named once: 6,000 drafts of up to twelve settings', () => {
  const draws = new Draws(1, streams.control, 67);
  const all = describeFields();
  // Those that take part in refusals, and all fields now and then.
  const entangled = all.filter(({ kind, section }) => kind !== 'real' || section === 'reward' || section === 'kl');
  let refused = 0;
  for (let i = 0; i < 6000; i++) {
    const { refusals } = followed(drawDraft(i % 4 === 0 ? all : entangled, 2 + (i % 11), draws));
    const remedies = refusals.map((message) => message.slice(message.lastIndexOf('; use ')));
    const again = remedies.filter((remedy, at) => remedies.indexOf(remedy) !== at);
    expect(again, refusals.join('\n')).toEqual([]);
    if (refusals.length > 0) refused++;
  }
  expect(refused).toBeGreaterThan(2000);
});

it.each([
  ['one dialogue whose turns have nothing beside them', { learning: { groupStd: false, groupSize: 1, groupKey: 'problem+agent+turn' }, reward: { over: 'accumulated' } }, 'learning.groupSize = 2'], // prettier-ignore
  ['groups drawn again where a learner has none', { learning: { learner: 'ppo', filterGroups: true } }, 'learning.filterGroups = false'], // prettier-ignore
  ['groups drawn again with another key', { learning: { groupKey: 'problem+agent', filterGroups: true } }, 'learning.groupKey = problem'], // prettier-ignore
  ['an adaptive weight without a KL', { kl: { isAdaptive: true } }, 'kl.isAdaptive = false'],
  ['pairs where nobody learns from them', { learning: { pairsFrom: 'imported' } }, 'learning.pairsFrom = rollouts'],
  ['cory among three', { agents: { protocol: 'debate', count: 3, parameters: 'separate' }, learning: { learner: 'cory' } }, 'agents.count = 2'], // prettier-ignore
  ['hints that only lack a shared reward', { reward: { shaping: 0.5, over: 'accumulated', across: 'own' }, learning: { groupKey: 'problem+agent' } }, 'reward.across = sum'], // prettier-ignore
  ['adapters of more turns than fit, where one round is too few', { agents: { parameters: 'lora', adapterPer: 'turn', size: 'medium', protocol: 'debate', count: 8 }, reward: { umadInfluence: 0.2, across: 'own', over: 'dense' }, learning: { groupKey: 'problem+agent' } }, 'agents.adapterPer = role'], // prettier-ignore
] satisfies [string, Draft, string][])('%s: the first remedy holds', (_, given, remedy) => {
  const { refusals } = followed(given);
  expect(refusals).toHaveLength(1);
  expect(refusals[0]).toContain(`; use ${remedy}`);
  expect(fieldAt(remedy.split(' = ')[0] as string)).toBeDefined();
});
