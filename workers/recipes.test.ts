// Published recipes on a language model: each collects dialogues and learns from them, with its own settings except for
// the number of dialogues and supervised steps.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { modelGroups, presetConfig } from '../src/config/presets.ts';
import { valueAt } from '../src/config/schema.ts';
import { givenSample } from '../src/formats/llama/testing/givenSample.ts';
import { sampleShape } from '../src/formats/llama/testing/sample.ts';
import { readyTemplates } from '../src/text/chat.ts';
import { onCpu } from '../src/training/testing/onCpu.ts';
import { openRun } from '../src/training/testing/microRun.ts';
import { wordsCheckpoint } from '../src/training/testing/wordsRun.ts';

onCpu();
beforeAll(readyTemplates);

it.each(modelGroups.flatMap(({ names }) => names))(
  '%s runs on a language model with its own settings',
  async (preset) => {
    const model = await givenSample({ ...sampleShape(), maxPositions: 2048 });
    const { learning } = presetConfig(preset);
    const run = openRun(
      await wordsCheckpoint(
        model,
        {
          ...{ 'learning.problemsPerIteration': 2, 'learning.groupSize': Math.min(2, learning.groupSize) },
          ...{ 'learning.numMinibatches': 1, 'warmStart.modelSteps': 1, 'warmStart.batchSize': 1 },
        },
        preset,
      ),
    );
    await run.session.train(1);
    expect(run.events.filter(({ kind }) => kind === 'failed')).toEqual([]);
    expect(run.collected()).not.toEqual([]);
  },
);

describe('docs/recipes.md', () => {
  const text = readFileSync('docs/recipes.md', 'utf8');
  /** The sections, each with its preset, the settings of its table and their values as in a link. */
  const sections = text.split(/^## /m).flatMap((section) => {
    const preset = /^`(\w+)` follows/m.exec(section)?.[1];
    const rows = [...section.matchAll(/^\|[^|]*\|[^|]*\| `(\w+\.\w+)` +\| `([^`]*)`/gm)];
    return preset === undefined ? [] : [{ preset, rows: rows.map(([, path = '', value = '']) => ({ path, value })) }];
  });

  it('has a section for each published recipe', () => {
    expect(sections.map(({ preset }) => preset)).toEqual(modelGroups[1]?.names);
  });

  it.each(sections)('states the values of $preset', ({ preset, rows }) => {
    expect(rows.length).toBeGreaterThan(1);
    const config = presetConfig(preset);
    for (const { path, value } of rows) expect([path, String(valueAt(config, path))]).toEqual([path, value]);
    expect(config.optimiser.learningRate).toBe(1e-4);
    expect(config.warmStart.modelSteps * config.warmStart.batchSize).toBe(296);
    expect(config.agents.loraRank).toBe(8);
  });
});
