import { describe, expect, it } from 'vitest';
import { describeFields, expectation, fieldAt } from './describe.ts';
import { plannedPair } from './ownProtocol.ts';
import { presets, presetConfig } from './presets.ts';
import { parseConfig } from './parse.ts';
import { sectionLabels, sections } from './schema.ts';

const fields = describeFields();

describe('every field', () => {
  it('is in a section with a label and has its own path', () => {
    expect(Object.keys(sectionLabels).toSorted()).toEqual(Object.keys(sections).toSorted());
    for (const { section, name, path } of fields) expect(path).toBe(`${section}.${name}`);
    expect(new Set(fields.map(({ path }) => path)).size).toBe(fields.length);
    const entries = Object.values(sections).reduce((sum, section) => sum + Object.keys(section.entries).length, 0);
    expect(fields).toHaveLength(entries);
  });

  it('has a text about its meaning and its source', () => {
    for (const { path, label, help, source } of fields) {
      expect(label.length, path).toBeGreaterThan(1);
      expect(help, path).toMatch(/^\S.*[.]$/);
      expect(source.length, path).toBeGreaterThan(1);
    }
  });

  it('has a default within its own bounds', () => {
    for (const field of fields) {
      if (field.kind === 'flag') expect(typeof field.fallback, field.path).toBe('boolean');
      else if (field.kind === 'choice') expect(field.names, field.path).toContain(field.fallback);
      else if (field.kind === 'agentSet' || field.kind === 'places') expect(field.fallback, field.path).toEqual([]);
      else if (field.kind === 'protocol') expect(field.fallback, field.path).toEqual(plannedPair);
      else if (field.kind === 'weights' || field.kind === 'texts') expect(field.fallback, field.path).toEqual({});
      else if (field.kind === 'formula') expect(field.fallback, field.path).toBe('');
      else {
        expect(field.fallback, field.path).toBeGreaterThanOrEqual(field.min);
        expect(field.fallback, field.path).toBeLessThanOrEqual(field.max);
        expect(field.max, field.path).toBeGreaterThan(field.min);
        if (field.kind === 'whole') expect(Number.isInteger(field.fallback), field.path).toBe(true);
      }
    }
  });

  it('with named values has a different label for each value', () => {
    for (const field of fields) {
      if (field.kind !== 'choice') continue;
      expect(Object.keys(field.labels).toSorted(), field.path).toEqual([...field.names].toSorted());
      expect(new Set(Object.values(field.labels)).size, field.path).toBe(field.names.length);
    }
  });
});

it('a field is found only by its path', () => {
  expect(fieldAt('learning.clipHigh')).toMatchObject({ section: 'learning', name: 'clipHigh', kind: 'real' });
  for (const path of ['clipHigh', 'learning', 'learning.', 'world.clipHigh', '']) expect(fieldAt(path)).toBeUndefined();
});

it('the values that a field accepts are described in a text', () => {
  const words = (path: string) => expectation(fieldAt(path) as NonNullable<ReturnType<typeof fieldAt>>);
  expect(words('agents.stopWhenTruncated')).toBe('true or false');
  expect(words('learning.ratioLevel')).toBe('one of token, turn, trajectory, dialogue');
  expect(words('agents.roundLimit')).toBe('a whole number from 0 to 8');
  expect(words('agents.temperature')).toBe('a number from 0.1 to 2');
});

describe('a preset', () => {
  it('consists of the defaults with its changes', () => {
    expect(presetConfig('default')).toEqual(parseConfig({}));
    expect(presetConfig('separate')).toEqual(parseConfig({ agents: { parameters: 'separate' } }));
    expect(presetConfig('default').learning).toMatchObject({ ratioLevel: 'turn', updateEpochs: 2, numMinibatches: 2 });
  });

  it('differs from every other in its texts and its settings', () => {
    const all = Object.entries(presets);
    expect(new Set(all.map(([, { label }]) => label)).size).toBe(all.length);
    expect(new Set(all.map(([name]) => JSON.stringify(presetConfig(name)))).size).toBe(all.length);
  });
});
