// The measured gains of presets, which the gallery of the page shows: accuracy on held-out problems before and after
// training, and the seconds that a run takes. They are read from the results of the benchmarks.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './freshness.mjs';

/** @typedef {{ before: number, after: number, seconds: number, seeds: number }} Gain */

/** @param {string} name */
const results = (name) => JSON.parse(readFileSync(path.join(root, 'bench', 'results', `${name}.json`), 'utf8'));
/** @param {number[]} values */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The gains by the name of the preset. @returns {Record<string, Gain>} */
export function galleryFigures() {
  /** @type {Record<string, Gain>} */
  const gains = {};
  for (const { preset, seeds, seconds } of results('worlds').rows)
    gains[preset] = {
      before: mean(seeds.map((/** @type {{ before: number }} */ { before }) => before)),
      after: mean(seeds.map((/** @type {{ after: number }} */ { after }) => after)),
      ...{ seconds, seeds: seeds.length },
    };
  const { preset, seeds } = results('learn');
  gains[preset] = {
    before: mean(seeds.map((/** @type {{ before: { accuracy: number } }} */ { before }) => before.accuracy)),
    after: mean(seeds.map((/** @type {{ after: { accuracy: number } }} */ { after }) => after.accuracy)),
    seconds: mean(seeds.map((/** @type {{ seconds: number }} */ { seconds }) => seconds)),
    seeds: seeds.length,
  };
  for (const { rung, stage, before, after, seconds, seeds: all } of results('words').rows)
    if (stage === (rung === 'passItOn' ? 'rlAlone' : 'sftRl') && after)
      gains[rung] = { before: before.mean, after: after.mean, seconds, seeds: all.length };
  return gains;
}
