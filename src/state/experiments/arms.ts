// Groups runs that are compared into arms: runs with the same settings and different seeds form one arm. The label of
// an arm lists the settings in which the arm differs from the other arms.
import { fieldsThatDiffer, namesByDifference } from '../../config/runName.ts';
import { settingWords, type Field } from '../../config/describe.ts';
import { valueAt } from '../../config/schema.ts';
import type { RunRecord } from '../../records/stored/checkpoint.ts';
import type { StoredCurves } from './storedCurves.ts';
import { say } from '../visitor/language.svelte.ts';

export interface Arm {
  /** Describes how the arm differs from the other arms. */
  label: string;
  /** The runs of the arm, each with a different seed. */
  runs: readonly StoredCurves[];
}

/**
 * A key that is the same for all runs of an arm. The key contains the changes during the run, and all settings that
 * influence a run, except the seed.
 */
function keyOf({ config, changes, forkedFrom }: RunRecord, fields: readonly Field[]): string {
  const settings = fields.map(({ path }) => valueAt(config, path));
  const done = changes.map(({ iteration, path, value }) => [iteration, path, value]);
  return JSON.stringify([settings, done, forkedFrom?.iteration ?? null]);
}

/** Groups the runs into arms, in the order of the runs. Two runs with the same seed are never in the same arm. */
export function armsOf(all: readonly StoredCurves[]): Arm[] {
  const fields = fieldsThatDiffer(all.map(({ run }) => run.config));
  const arms = new Map<string, StoredCurves[]>();
  for (const one of all) {
    const key = keyOf(one.run, fields);
    let number = 0;
    const isTaken = () =>
      arms.get(`${key} ${number}`)?.some(({ run }) => run.config.run.seed === one.run.config.run.seed);
    while (isTaken()) number++;
    arms.set(`${key} ${number}`, [...(arms.get(`${key} ${number}`) ?? []), one]);
  }
  const found = [...arms.values()].map((runs) =>
    runs.toSorted((a, b) => a.run.config.run.seed - b.run.config.run.seed),
  );
  const labels = namesByDifference(found.map(([first]) => (first as StoredCurves).run.config));
  return found.map((runs, i) => ({ label: labelOf(runs, labels, i), runs }));
}

/** The label of an arm. If several arms would have the same label, the name of a run is added. */
function labelOf(runs: readonly StoredCurves[], labels: readonly string[], i: number): string {
  const [first] = runs;
  const label = labels[i] ?? '';
  if (labels.length === 1 && runs.length > 1) return say('mean of all');
  const isOnly = labels.filter((other) => other === label).length === 1;
  if (label && isOnly) return label;
  return [label, first?.run.name].filter(Boolean).join(' · ');
}

/** A setting in which arms differ, and its value in each arm. */
export interface SettingRow {
  field: Field;
  values: string[];
}

/** The settings that differ. */
export function settingRows(arms: readonly Arm[]): SettingRow[] {
  const configs = arms.flatMap(({ runs }) => runs[0]?.run.config ?? []);
  return fieldsThatDiffer(configs).map((field) => ({
    field,
    values: configs.map((config) => settingWords(field, valueAt(config, field.path))),
  }));
}
