// Tests training in several worlds or on several levels: which combinations are refused, and the settings after the
// remedy.
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { refusalOf } from '../refusals/table.ts';
import { parseConfig, withSetting, withSettings } from '../parse.ts';

const words = parseConfig({
  world: { name: 'wordProblems' },
  agents: { protocol: 'single' },
  houseRule: { legalOperation: 0, rewrite: 0 },
});
const place = (name: string, level = 1, weight = 1) => ({ name, level, weight });
const naming =
  (...also: unknown[]) =>
  () =>
    withSetting(words, 'world.also', also);

describe('further places to train in', () => {
  it('are other worlds of the same words and other levels of any of them', () => {
    const also = [place('wordProblems', 3), place('entailment', 2, 0.5), place('debate', 3)];
    expect(withSetting(words, 'world.also', also).world.also).toEqual(also);
  });

  it.each([
    ['another vocabulary', place('algebra'), 'wordProblems and algebra have no words in common', []],
    ['an unknown name', place('chess'), 'there is no world named "chess"', []],
    ['a level too high', place('entailment', 7), 'Entailment has no level 7', [place('entailment', 3)]],
  ])('with %s are refused, and the others stay', (_, stray, says, left) => {
    const wanted = withSettings(words, { 'world.also': [place('debate'), stray] });
    const refusal = refusalOf(wanted);
    expect(refusal).toMatchObject({ path: 'world.also', says, within: [1, expect.any(String)] });
    expect(refusal?.remedies).toEqual([{ 'world.also': [place('debate'), ...left] }]);
    expect(refusalOf(withSettings(wanted, refusal?.remedies[0] ?? {}))).toBeNull();
  });

  it('name the faulty part', () => {
    expect(naming({ name: 'debate', weight: 0 })).toThrow('world.also.0.weight: expected at least 0.05, got 0.');
    expect(naming({ name: 'debate', level: 1.5 })).toThrow('world.also.0.level: expected integer, got 1.5.');
    expect(naming({ name: 'debate', share: 1 })).toThrow('world.also.0.share: there is no such part');
    expect(naming({ level: 1 })).toThrow(ConfigError);
    expect(naming(...Array.from({ length: 9 }, () => place('debate')))).toThrow('expected a list of at most 8 entries');
    expect(withSetting(words, 'world.also', [{ name: 'debate' }]).world.also).toEqual([place('debate')]);
  });

  it('bring their parts of the reward with them', () => {
    const paid = { 'entailment.premise': 0.5 };
    expect(refusalOf(withSettings(words, paid))?.path).toBe('entailment.premise');
    expect(refusalOf(withSettings(words, { ...paid, 'world.also': [place('entailment')] }))).toBeNull();
  });
});
