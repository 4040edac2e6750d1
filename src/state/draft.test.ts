import { describe, expect, it } from 'vitest';
import { presetConfig } from '../config/presets.ts';
import { draftOf, edited, explained } from './draft.ts';

const start = draftOf(presetConfig('default'));

describe('a draft of settings', () => {
  it('takes a possible value at once', () => {
    const draft = edited(start, 'learning.groupSize', 4);
    expect(draft.error).toBeNull();
    expect(draft.config.learning.groupSize).toBe(4);
  });

  it('keeps the last possible settings beside a value out of bounds', () => {
    const draft = edited(start, 'learning.groupSize', 400);
    expect(draft.values.learning.groupSize).toBe(400);
    expect(draft.config).toBe(start.config);
    expect(draft.error).toEqual({
      at: 'learning.groupSize',
      path: 'learning.groupSize',
      message: 'Expected a whole number from 1 to 64, got 400.',
      remedy: null,
    });
  });

  it('shows an impossible combination where it was made, and offers what mends it', () => {
    const draft = edited(start, 'learning.ratioLevel', 'trajectory');
    expect(draft.error?.at).toBe('learning.ratioLevel');
    expect(draft.error?.path).toBe('learning.aggregation');
    expect(draft.error?.message).toBe('Aggregation: turn does not go with a trajectory ratio.');
    expect(draft.error?.remedy).toEqual({
      path: 'learning.aggregation',
      value: 'trajectory',
      words: 'Set Aggregation to trajectory',
    });
    const mended = edited(draft, 'learning.aggregation', 'trajectory');
    expect(mended.error).toBeNull();
    expect(mended.config.learning.ratioLevel).toBe('trajectory');
  });

  it('reads no value out of a remedy that a comma ends, as of a device that is not there', () => {
    const message = 'run.backend: webgpu was asked for. There is none; use run.backend = cpu, or another browser.';
    expect(explained('', message)).toMatchObject({ path: 'run.backend', remedy: null });
  });

  it('reads a number out of a remedy that names two ways', () => {
    const draft = edited(start, 'learning.groupSize', 1);
    expect(draft.error?.remedy).toMatchObject({ path: 'learning.groupSize', value: 2 });
  });

  it('refuses a level that no warm start ships for, and offers to train one', () => {
    const draft = edited(start, 'world.level', 2);
    expect(draft.config).toBe(start.config);
    expect(draft.error).toMatchObject({
      at: 'world.level',
      path: 'warmStart.source',
      message: 'Start from: no warm start ships for level 2 and size tiny.',
      remedy: { path: 'warmStart.source', value: 'train' },
    });
    expect(edited(draft, 'warmStart.source', 'train')).toMatchObject({ error: null, config: { world: { level: 2 } } });
  });

  it('refuses what is not a number and says what came', () => {
    expect(edited(start, 'optimiser.learningRate', 'fast').error?.message).toBe(
      'Expected a number from 0.000001 to 0.01, got "fast".',
    );
  });
});
