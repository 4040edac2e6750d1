// Memorable names of runs. The name follows from the seed, so two people who open one link speak of the same otter;
// what a run changes about the default is said beside it, e.g. "calm-otter · turn ratio".
import { bits } from '../base/random.ts';
import { difference } from './parse.ts';
import { describeFields, type Field } from './describe.ts';
import { presetConfig } from './presets.ts';
import type { Config } from './schema.ts';

// prettier-ignore
const manners = [
  'calm', 'patient', 'curious', 'gentle', 'bright', 'quiet', 'steady', 'brave', 'nimble', 'kind', 'clever', 'merry',
  'candid', 'tidy', 'eager', 'humble', 'witty', 'sunny', 'silver', 'amber', 'mossy', 'lucid', 'swift', 'warm',
  'early', 'level', 'plain', 'ready', 'keen', 'mild', 'round', 'sound',
] as const;
// prettier-ignore
const animals = [
  'otter', 'heron', 'badger', 'wren', 'hare', 'marten', 'finch', 'seal', 'lynx', 'newt', 'robin', 'stoat',
  'swift', 'tern', 'vole', 'ibis', 'crane', 'dormouse', 'egret', 'falcon', 'gecko', 'hedgehog', 'jackdaw', 'kestrel',
  'lapwing', 'mole', 'nuthatch', 'osprey', 'plover', 'raven', 'siskin', 'toad',
] as const;

/** Settings that say where and how long a run computes, not what it is: never part of its name. */
const unnamed = new Set(['run.seed', 'run.backend', 'run.iterations', 'run.checkpointEvery', 'evaluation.every']);

/** A name such as `calm-otter`, the same for the same seed. Seed 1, the default, is the calm otter. */
export function runName(seed: number): string {
  const word = bits(0, seed - 1, 0, 0) ^ bits(0, 0, 0, 0);
  return `${manners[word & 31]}-${animals[(word >>> 5) & 31]}`;
}

/** What sets `config` apart from `base` (the default preset), at most `most` settings in words; empty when nothing does. */
export function runDifference(config: Config, base: Config = presetConfig('default'), most = 2): string {
  const changed = difference(config, base).filter(({ field }) => !unnamed.has(field.path));
  const words = changed.slice(0, most).map(({ field, value }) => settingWords(field, value));
  if (changed.length > most) words.push(`${changed.length - most} more`);
  return words.join(', ');
}

/** One setting as a person would say it: `separate parameters`, `learning rate 0.001`, `no whiten advantages`. */
export function settingWords(field: Field, value: unknown): string {
  const label = /^[A-Z][^A-Z]/.test(field.label) ? field.label[0]?.toLowerCase() + field.label.slice(1) : field.label;
  if (field.kind === 'flag') return value === true ? label : `without “${label}”`;
  if (field.kind === 'choice') {
    const [name = ''] = (field.labels[String(value)] ?? String(value)).split(' · ');
    const said = /^[A-Z][a-z]+\b/.test(name) ? name.toLowerCase() : name;
    return /(from|ends|on|start)$/.test(label) ? `${label} ${said}` : `${said} ${label}`;
  }
  if (Array.isArray(value)) return value.length === 0 ? `no ${label}` : `${label} ${value.join(' and ')}`;
  return `${label} ${String(value)}`;
}

/** The words for `path` set to `value`; the path itself when there is no such field. */
export function changeWords(path: string, value: unknown): string {
  const field = describeFields().find((candidate) => candidate.path === path);
  return field ? settingWords(field, value) : path;
}
