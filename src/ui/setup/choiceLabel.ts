// What a form calls a name of a list: its label, and of a size how many parameters that is in the chosen world.
import { labelOf, type ChoiceField } from '../../config/describe.ts';
import type { SizeName } from '../../config/names.ts';
import { parameterCount, sizes } from '../../config/sizes.ts';
import type { WorldForm } from '../../config/worlds/form.ts';
import { count } from '../words.ts';

export function choiceLabel(field: ChoiceField, name: string, { tokens }: Pick<WorldForm, 'tokens'>): string {
  const label = labelOf(field, name);
  if (tokens === undefined || field.path !== 'agents.size') return label;
  // Positions have no parameters.
  const shape = { ...sizes[name as SizeName], vocabSize: tokens, maxPositions: 1 };
  return `${label} · ${count(parameterCount(shape))}`;
}
