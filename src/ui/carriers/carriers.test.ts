// Tests what carriers provide on the page: which exports the page lists, and which files may be dropped on the page.
import { expect, it } from 'vitest';
import { presetConfig } from '../../config/presets.ts';
import { openerOf } from '../../state/carriers/openers.ts';
import { offersOf } from './offers.ts';
import type { Taking } from './take.ts';

/** A run that trains a verifier, on a page whose trainer never replies. */
function displayed(isHeld: boolean): Taking {
  const config = presetConfig('default');
  const run = {
    name: 'calm otter',
    view: { run: { config: { ...config, verifier: { ...config.verifier, isTrained: true } } } },
  };
  return {
    ...{ run: run as never, sharing: {} as never, isHeld, each: '' },
    agents: [
      { agent: 0, role: 'planner' },
      { agent: 1, role: 'reasoner' },
    ],
    hasOptimiser: () => false,
    tell: () => undefined,
  };
}

it.each([true, false])('no two exports have the same label, and all have texts (held: %s)', (isHeld) => {
  const offers = offersOf(displayed(isHeld));
  expect(offers.length).toBeGreaterThan(8);
  for (const told of ['label', 'title'] as const) {
    const all = offers.map((offer) => offer[told]);
    expect(all.every((text) => text !== '')).toBe(true);
    if (told === 'label') expect(new Set(all).size).toBe(all.length);
  }
});

it('an agent based on a stored model is exported in the forms of this model, any other as a whole', () => {
  const labels = (isHeld: boolean) => offersOf(displayed(isHeld)).map(({ label }) => label.replaceAll(/[⁨⁩]/g, ''));
  expect(labels(true)).toContain('Adapter · reasoner');
  expect(labels(true)).not.toContain('Weights · reasoner');
  expect(labels(false)).toContain('Weights · reasoner');
  expect(labels(false)).not.toContain('Adapter · reasoner');
});

const zipOf = (...names: string[]) => new File([names.join('\0'), '\0'.repeat(2000)], 'some.zip');

it('a dropped file is opened by the first carrier that takes it, and any other file as a run file', async () => {
  const files = [
    new File(['GGUF'], 'words.GGUF'),
    zipOf('run.record', 'model/000001.file'),
    zipOf('tiny/config.json'),
    zipOf('notes.txt'),
    new File(['settings'], 'run.yaml'),
  ];
  const [gguf, archive, weights, other, run] = await Promise.all(files.map(openerOf));
  expect(new Set([gguf, archive, weights, run]).size).toBe(4);
  expect(other).toBe(run);
});
