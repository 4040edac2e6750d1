// Tests the rules with two artificial worlds. A setting that does not exist in one of them is refused with the name of
// the world, and each remedy removes the refusal.
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { Settings } from '../../base/errors.ts';
import { parseConfig, withSettings } from '../parse.ts';
import { refusalOf } from '../refusals/table.ts';
import type { WorldForm } from './form.ts';
import { form as houseRule } from '../../extensions/worlds/houseRule/form.ts';
import { introduce, ownFormSchema } from './own.ts';
import { partWeights } from './registry.ts';
import { worldRules } from './rules.ts';

const part = { ...houseRule.parts[0], name: 'evidence', label: 'Evidence', weight: 0.5 };
const debate: WorldForm = {
  ...{ name: 'debateWorld', label: 'Debate', sentence: '', hidden: [], vocabularies: { words: 'words' } },
  ...{ levels: [{ level: 1, label: 'one hop' }], parts: [part] },
};
const rows = worldRules([houseRule, debate]);
const usual = withSettings(parseConfig({}), { 'debateWorld.evidence': 0.5 });
const chosen = { 'world.name': 'debateWorld' };

describe('what a world does not have', () => {
  it.each<[string, Settings, string, string]>([
    ['a level', { ...chosen, 'world.level': 2 }, 'world.level', 'Debate has no level 2'],
    [
      'a vocabulary',
      { ...chosen, 'agents.otherVocabulary': 'joined' },
      'agents.otherVocabulary',
      'Debate has no vocabulary joined',
    ],
    [
      'a part of another world',
      { ...chosen, 'houseRule.rewrite': 0.5 },
      'houseRule.rewrite',
      'debateWorld has no reward part “Rewrite as planned”, which belongs to houseRule',
    ],
    [
      'the same the other way round',
      { 'debateWorld.evidence': 1 },
      'debateWorld.evidence',
      'houseRule has no reward part “Evidence”, which belongs to debateWorld',
    ],
  ])('%s is refused by name', (_, settings, path, says) => {
    const config = withSettings(usual, settings);
    const refusal = refusalOf(config, rows);
    expect(refusal).toMatchObject({ path, says });
    for (const remedy of refusal?.remedies ?? []) expect(refusalOf(withSettings(config, remedy), rows)).toBeNull();
  });

  it('a part that a world of the visitor’s own does not declare is refused by name, whatever is in its name', () => {
    const parts = [{ ...part, name: 'hint' }];
    const form = v.parse(ownFormSchema, { ...debate, name: 'own-0123456789abcdef', label: 'The {fork.in}', parts });
    introduce(form);
    const weights = { hint: 0.5, '{agents.none}': 1 };
    const config = withSettings(parseConfig({}), { 'world.name': form.name, 'reward.own': weights });
    const refusal = refusalOf(config, worldRules());
    expect(refusal).toMatchObject({
      ...{ path: 'reward.own', within: ['{agents.none}'], remedies: [{ 'reward.own': { hint: 0.5 } }] },
      says: 'The {fork.in} declares no reward part “{agents.none}”; it declares “hint”',
    });
    const mended = withSettings(config, refusal?.remedies[0] as Settings);
    expect(refusalOf(mended, worldRules())).toBeNull();
    expect(partWeights(mended, form)).toMatchObject({ hint: 0.5, rightAnswer: 1 });
    expect(partWeights(withSettings(mended, { 'reward.own': {} }), form)).toMatchObject({ hint: part.weight });
    const elsewhere = refusalOf(withSettings(mended, { 'world.name': 'houseRule' }), worldRules());
    expect(elsewhere).toMatchObject({ path: 'reward.own', remedies: [{ 'reward.own': {} }] });
  });

  it('does not matter if a world uses its own settings or is the only one', () => {
    expect(refusalOf(withSettings(usual, { 'houseRule.rewrite': 1, 'world.level': 4 }), rows)).toBeNull();
    expect(refusalOf(withSettings(usual, chosen), rows)).toBeNull();
    expect(worldRules([houseRule])).toEqual([]);
  });
});
