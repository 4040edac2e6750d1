import { describe, expect, it } from 'vitest';
import { describeFields, fieldAt, type Field } from '../../config/describe.ts';
import { parseConfig, parseShape, withSetting } from '../../config/parse.ts';
import { sectionLabels, type ConfigInput, type SectionName } from '../../config/schema.ts';
import { worldNames } from '../../config/worlds/registry.ts';
import { belongingWords, foldedOf, groupsOf, isOfRun } from './folding.ts';

const field = (path: string) => fieldAt(path) as Field;
const advanced = (section: SectionName) =>
  describeFields().filter((candidate) => candidate.section === section && !candidate.isBasic);
const pathsOf = (fields: readonly Field[]) => fields.map(({ path }) => path);

describe('groups of settings', () => {
  it('are in the order of their first fields, and contain every field once', () => {
    for (const section of ['learning', 'agents', 'reward'] as const) {
      const fields = advanced(section);
      const groups = groupsOf(fields);
      expect(pathsOf(groups.flatMap((group) => group.fields)).toSorted()).toEqual(pathsOf(fields).toSorted());
      const firsts = groups.map((group) => fields.indexOf(group.fields[0] as Field));
      expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
    }
    expect(groupsOf(advanced('learning')).map(({ label }) => label)).toEqual([
      'Ratio and clip',
      'Groups and advantages',
      'Updates',
      'Critic and GAE',
      'Preference pairs',
      'Imitation',
      'Who learns',
      'Mixing critic',
    ]);
  });

  it('give every setting a heading in sections with headings', () => {
    for (const section of ['learning', 'agents', 'reward', 'verifier'] as const)
      expect(groupsOf(advanced(section)).map(({ label }) => label)).not.toContain('');
  });
});

describe('sections', () => {
  const worldSections = (values: ReturnType<typeof parseConfig>) => worldNames.filter((name) => isOfRun(name, values));

  it('of worlds are shown if the world belongs to the run or has changed settings', () => {
    const words = parseConfig({ world: { name: 'wordProblems', also: [{ name: 'entailment' }] } });
    expect(worldSections(parseConfig({}))).toEqual(['houseRule']);
    expect(worldSections(words)).toEqual(['wordProblems', 'entailment']);
    expect(worldSections(parseShape({ grid: { openWay: 0.5 } }))).toEqual(['houseRule', 'grid']);
    expect(isOfRun('grid', words, 'grid.openWay')).toBe(true);
  });

  it('that belong to no world are shown in every run', () => {
    const others = Object.keys(sectionLabels).filter((name) => !worldNames.some((world) => world === name));
    expect(others.filter((name) => !isOfRun(name as SectionName, parseConfig({})))).toEqual([]);
  });
});

describe('folding', () => {
  it('leaves the 17 learning settings that affect GRPO in one network', () => {
    const learning = advanced('learning');
    const folded = foldedOf(learning, parseConfig({}));
    expect(learning.length).toBeGreaterThan(2 * 17);
    expect(learning.length - folded.length).toBe(17);
    expect(folded).toContain(field('learning.mixerHidden'));
    expect(folded).not.toContain(field('learning.groupKey'));
    const ofQmix = foldedOf(learning, parseConfig({ learning: { learner: 'qmix' } }));
    expect(ofQmix).not.toContain(field('learning.mixerHidden'));
    expect(ofQmix).toContain(field('learning.groupKey'));
  });

  it('never hides a setting that was changed, has an error or was edited last', () => {
    const values = withSetting(parseConfig({}), 'learning.mixerHidden', 64);
    const fields = [field('learning.mixerHidden'), field('learning.mixingSteps'), field('learning.gamma')];
    expect(pathsOf(foldedOf(fields, values))).toEqual(['learning.mixingSteps', 'learning.gamma']);
    expect(pathsOf(foldedOf(fields, values, [undefined, 'learning.gamma']))).toEqual(['learning.mixingSteps']);
  });
});

describe('a fold states why its settings have no effect', () => {
  const words = (paths: readonly string[], given: ConfigInput = {}) =>
    belongingWords(paths.map(field), parseConfig(given));

  it('by the one setting that disables all of them', () => {
    expect(words(['learning.mixerHidden', 'learning.vfCoef'])).toBe('apply only to other learners');
    expect(words(['agents.loraRank', 'agents.swapEvery'])).toBe('apply only to other parameters');
    expect(words(['agents.maskPeers'])).toBe('applies only to other protocols');
  });

  it('also if this setting acts through another one', () => {
    expect(words(['reward.influence', 'reward.influenceShare'])).toBe('apply only to other protocols');
    expect(words(['learning.startAgent'])).toBe('applies only to other parameters');
    expect(words(['agents.feedback', 'agents.consensus'])).toBe('apply only to other protocols');
  });

  it('or only that they have none, if the causes differ or have no name', () => {
    expect(words(['learning.mixerHidden', 'agents.loraRank'])).toBe('without effect now');
    expect(words(['reward.influenceShare'], { agents: { protocol: 'vote' } })).toBe('without effect now');
    expect(words(['kl.coef'])).toBe('without effect now');
  });
});
