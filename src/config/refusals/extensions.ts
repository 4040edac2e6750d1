// Requirements of single worlds, protocols and learners. Each extension lists its own requirements in a file
// `refusals.ts` in its folder; these requirements apply if the extension is chosen. One of the remedies is always to
// choose the first world, the default protocol or the default learner instead.
import type { Settings } from '../../base/errors.ts';
import { defaultLearner } from '../learners/registry.ts';
import { defaultProtocol } from '../protocols/registry.ts';
import { worldNames } from '../worlds/registry.ts';
import { wish, type Row } from './rule.ts';

/** The setting that chooses an extension of each kind, with its default value. */
const usual: Readonly<Record<string, Settings>> = {
  worlds: { 'world.name': worldNames[0] ?? '' },
  protocols: { 'agents.protocol': defaultProtocol },
  learners: { 'learning.learner': defaultLearner },
};

const found = import.meta.glob<readonly Row[]>('../../extensions/{worlds,protocols,learners}/*/refusals.ts', {
  eager: true,
  import: 'refusals',
});

export const extensionRules = Object.entries(found).flatMap(([file, rows]) => {
  const [kind, name] = file.split('/').slice(-3) as [string, string];
  const giveUp = usual[kind] as Settings;
  const [path] = Object.keys(giveUp) as [string];
  return wish({ [path]: name }, giveUp, rows);
});
