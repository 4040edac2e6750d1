// The schema of all settings. The TypeScript type, the form, YAML, links, command-line options and docs/settings.md are
// all derived from it. Settings, their defaults and their bounds are defined nowhere else.
import * as v from 'valibot';
import { agents } from './sections/agents.ts';
import { learning } from './sections/learning.ts';
import { evaluation, kl, optimiser, run } from './sections/run.ts';
import { verifier } from './sections/verifier.ts';
import { warmStart } from './sections/warmStart.ts';
import { reward, world } from './sections/world.ts';
import { worldEntries, worldSectionLabels, worldSections } from './worlds/registry.ts';

export const sections = {
  world,
  agents,
  reward,
  ...worldSections,
  verifier,
  learning,
  kl,
  optimiser,
  warmStart,
  evaluation,
  run,
} as const;

export const configSchema = v.strictObject({
  world: v.optional(v.strictObject(world.entries), {}),
  agents: v.optional(v.strictObject(agents.entries), {}),
  reward: v.optional(v.strictObject(reward.entries), {}),
  ...worldEntries,
  verifier: v.optional(v.strictObject(verifier.entries), {}),
  learning: v.optional(v.strictObject(learning.entries), {}),
  kl: v.optional(v.strictObject(kl.entries), {}),
  optimiser: v.optional(v.strictObject(optimiser.entries), {}),
  warmStart: v.optional(v.strictObject(warmStart.entries), {}),
  evaluation: v.optional(v.strictObject(evaluation.entries), {}),
  run: v.optional(v.strictObject(run.entries), {}),
});

/** All settings of a run, including all defaults. */
export type Config = v.InferOutput<typeof configSchema>;
/** Settings as a person writes them; each of them may be left out. */
export type ConfigInput = v.InferInput<typeof configSchema>;
export type SectionName = keyof Config;
/** `section.name` of a setting. */
export type SettingPath = { [S in SectionName]: `${S}.${keyof Config[S] & string}` }[SectionName];

/** The value at `section.name`. */
export function valueAt(config: Config, path: string): unknown {
  const [section, name] = path.split('.') as [SectionName, string];
  return (config[section] as Record<string, unknown>)[name];
}

/** The headings of the sections, in the order of the form. */
export const sectionLabels: Record<SectionName, string> = {
  world: 'World',
  agents: 'Agents',
  learning: 'Learning',
  reward: 'Reward',
  ...worldSectionLabels,
  verifier: 'Verifier',
  kl: 'KL',
  optimiser: 'Optimiser',
  warmStart: 'Warm start',
  evaluation: 'Evaluation',
  run: 'Run',
};
