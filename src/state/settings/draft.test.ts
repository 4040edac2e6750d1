import { describe, expect, it } from 'vitest';
import { presetConfig } from '../../config/presets.ts';
import { draftOf, edited, liveError, withEdits } from './draft.ts';

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
      remedy: {
        settings: { 'learning.groupSize': 64 },
        words: 'Set Rollouts of each problem to 64',
        changes: ['Rollouts of each problem: 64'],
      },
    });
  });

  it('shows an impossible combination where it was made, and offers what mends it', () => {
    const draft = edited(start, 'learning.ratioLevel', 'trajectory');
    expect(draft.error?.at).toBe('learning.ratioLevel');
    expect(draft.error?.path).toBe('learning.aggregation');
    expect(draft.error?.message).toBe('Aggregation: turn aggregation cannot be used with a trajectory ratio.');
    expect(draft.error?.remedy).toMatchObject({
      settings: { 'learning.aggregation': 'trajectory' },
      words: 'Set Aggregation to trajectory of an agent',
    });
    const mended = edited(draft, 'learning.aggregation', 'trajectory');
    expect(mended.error).toBeNull();
    expect(mended.config.learning.ratioLevel).toBe('trajectory');
  });

  it('keeps what was asked where a refusal knows two ways', () => {
    const draft = edited(start, 'learning.groupSize', 1);
    expect(draft.error?.remedy?.settings).toEqual({ 'learning.groupStd': false });
  });

  it('offers all that candidates need at once, and says what that is', () => {
    const draft = edited(start, 'agents.candidates', 4);
    expect(draft.error?.remedy?.words).toBe('Set these 5');
    expect(draft.error?.remedy?.changes).toEqual([
      'Group key: problem, agent and turn',
      'Over turns: dense',
      'Across agents: own',
      'Legal plan: 0.25',
      'Rewrite as planned: 0.5',
    ]);
    const mended = withEdits(draft, 'agents.candidates', draft.error?.remedy?.settings ?? {});
    expect(mended).toMatchObject({
      error: null,
      config: { agents: { candidates: 4 }, houseRule: { rewrite: 0.5 } },
    });
  });

  it('keeps every edit since the last possible settings, in whatever order they were made', () => {
    const first = edited(start, 'agents.candidates', 4);
    const second = edited(first, 'reward.over', 'accumulated');
    expect(second.error?.remedy?.settings).toEqual({ 'agents.candidates': 1 });
  });

  it('of an open run offers settings that may change with it, in an order in which each is possible', () => {
    const config = presetConfig('default');
    expect(liveError(config, 'kl.coef', 0.2)).toBeNull();
    expect(liveError(config, 'learning.dualClip', 50)).toMatchObject({
      message: 'Expected a number from 0 to 20, got 50.',
      remedy: { settings: { 'learning.dualClip': 20 } },
    });
    expect(liveError(config, 'verifier.reward', 0.5)).toMatchObject({
      at: 'verifier.reward',
      remedy: { settings: { 'verifier.reward': 0 } },
    });
  });

  it('refuses a level that no agents are prepared for, and offers to train one', () => {
    const draft = edited(start, 'world.level', 4);
    expect(draft.config).toBe(start.config);
    expect(draft.error).toMatchObject({
      at: 'world.level',
      path: 'warmStart.source',
      message: 'Start from: there is no ready-made warm start for level 4.',
      remedy: { settings: { 'warmStart.source': 'train' }, words: 'Set Start from to prepare here' },
    });
    expect(edited(draft, 'warmStart.source', 'train')).toMatchObject({ error: null, config: { world: { level: 4 } } });
  });

  it('refuses what is not a number and says what came', () => {
    expect(edited(start, 'optimiser.learningRate', 'fast').error?.message).toBe(
      'Expected a number from 0.000001 to 0.01, got "fast".',
    );
  });
});
