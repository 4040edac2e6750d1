// The settings of the schema as a list of plain records, from which forms, tables and error messages are built.
import * as v from 'valibot';
import { inTongue, isEnglish, spoken } from '../base/spoken.ts';
import {
  mostTexts,
  ownWeightBounds,
  type FieldNotes,
  type NamedTexts,
  type NumberNotes,
  type PartWeights,
} from './field.ts';
import { mostAgents } from './names.ts';
import type { OwnProtocol } from './ownProtocol.ts';
import { mostPlaces, type WorldPlace } from './worlds/places.ts';
import { sections, type SectionName } from './schema.ts';
import { formulaNameIn, formulaWords } from './sections/ownFormula.ts';
import { weightField, type RewardPart } from './worlds/form.ts';
import { formOf, worldLabel, worldNames } from './worlds/registry.ts';

interface FieldBase extends FieldNotes {
  section: SectionName;
  name: string;
  /** `section.name`, as in a link. */
  path: string;
}
export interface NumberField extends FieldBase, NumberNotes {
  kind: 'real' | 'whole';
  fallback: number;
}
export interface FlagField extends FieldBase {
  kind: 'flag';
  fallback: boolean;
}
export interface ChoiceField extends FieldBase {
  kind: 'choice';
  names: readonly string[];
  labels: Record<string, string>;
  /** One sentence about each choice, if the labels do not explain the choices. */
  meanings?: Record<string, string>;
  fallback: string;
}
export interface AgentSetField extends FieldBase {
  kind: 'agentSet';
  fallback: readonly number[];
}
export interface ProtocolField extends FieldBase {
  kind: 'protocol';
  fallback: OwnProtocol;
}
export interface PlacesField extends FieldBase {
  kind: 'places';
  fallback: readonly WorldPlace[];
}
export interface WeightsField extends FieldBase {
  kind: 'weights';
  fallback: PartWeights;
}
export interface TextsField extends FieldBase {
  kind: 'texts';
  fallback: NamedTexts;
}
export interface FormulaField extends FieldBase {
  kind: 'formula';
  fallback: string;
}
export type Field =
  | NumberField
  | FlagField
  | ChoiceField
  | AgentSetField
  | PlacesField
  | ProtocolField
  | WeightsField
  | TextsField
  | FormulaField;

/** Whether the value of a field has parts, each of which can be invalid separately. */
export const hasParts = (field: Field): field is PlacesField | ProtocolField | WeightsField | TextsField =>
  ['places', 'protocol', 'weights', 'texts'].includes(field.kind);

let fields: Field[] | undefined;
let byPath: Map<string, Field> | undefined;

/** All fields of the schema in the order of the form. */
export function describeFields(): Field[] {
  fields ??= (Object.keys(sections) as SectionName[]).flatMap((section) =>
    Object.entries(sections[section].entries).map(([name, entry]) => described(section, name, entry)),
  );
  return fields;
}

function described(section: SectionName, name: string, entry: v.GenericSchema): Field {
  const notes = v.getMetadata((entry as unknown as { wrapped: v.GenericSchema }).wrapped);
  const fallback: unknown = v.getDefault(entry as v.OptionalSchema<v.GenericSchema, never>);
  return { section, name, path: `${section}.${name}`, fallback, ...notes } as Field;
}

/** The field for the weight of a reward part. This field is used for worlds that have no section in the schema. */
export const partField = (part: RewardPart) => described('reward', part.name, weightField(part)) as NumberField;

/** The field at `section.name`, or undefined if there is none. */
export function fieldAt(path: string): Field | undefined {
  byPath ??= new Map(describeFields().map((field) => [field.path, field]));
  return byPath.get(path);
}

/** The words that the page shows for a choice. The choices of a world include the visitor's own worlds. */
export function labelOf({ labels }: ChoiceField, name: string): string {
  const shipped = labels[name];
  return shipped === undefined ? worldLabel(formOf(name)) : inTongue(shipped);
}

/** A list of places (worlds with levels) in the words of the page: `Entailment 1 (weight 0.5), Word problems 3`. */
export const placesWords = (places: readonly WorldPlace[]): string =>
  places
    .map(
      ({ name, level, weight }) =>
        `${worldLabel(formOf(name))} ${level}${weight === 1 ? '' : spoken` (weight ${weight})`}`,
    )
    .join(', ') || spoken`no other world`;

/** A value in the notation of links and tables, which `readFieldText` can read. */
export function valueText(value: unknown): string {
  if (value === '') return 'none';
  if (Array.isArray(value) && typeof value[0] !== 'object') return value.join(',') || 'none';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The values that a field accepts, in words, for error messages and tables. */
export function expectation(field: Field): string {
  if (field.kind === 'flag') return spoken`true or false`;
  if (field.kind === 'choice') return spoken`one of ${field.names.join(', ')}`;
  if (field.kind === 'agentSet') return spoken`a list of agents by their numbers from 0 to ${mostAgents - 1}`;
  if (field.kind === 'places') {
    const example = JSON.stringify([{ name: worldNames[0], level: 2 }]);
    return spoken`a list of at most ${mostPlaces} entries, each with name, level and weight, such as ${example}`;
  }
  if (field.kind === 'protocol') return spoken`a protocol with agents, order, answer, finisher and context`;
  if (field.kind === 'formula') return formulaWords();
  if (field.kind === 'weights')
    return spoken`names of reward parts, each with a number from ${ownWeightBounds.min} to ${ownWeightBounds.max}`;
  if (field.kind === 'texts')
    return spoken`names of texts, each with a text of at most ${mostTexts.characters} characters`;
  return field.kind === 'whole'
    ? spoken`a whole number from ${field.min} to ${field.max}`
    : spoken`a number from ${field.min} to ${field.max}`;
}

/** One setting in words, such as `separate parameters`, `learning rate 0.001` or `no whiten for each agent`. */
export function settingWords(field: Field, value: unknown): string {
  const isLowered = /^[A-Z][^A-Z]/.test(field.label) && isEnglish();
  const label = isLowered ? field.label[0]?.toLowerCase() + field.label.slice(1) : inTongue(field.label);
  if (field.kind === 'flag') return value === true ? label : spoken`without “${label}”`;
  if (field.kind === 'choice') {
    const [name = ''] = labelOf(field, String(value)).split(' · ');
    if (!isEnglish()) return `${label}: ${name}`;
    const said = /^[A-Z][a-z]+\b/.test(name) ? name.toLowerCase() : name;
    return /(from|ends|on|start)$/.test(label) ? `${label} ${said}` : `${said} ${label}`;
  }
  if (field.kind === 'places') {
    const places = value as readonly WorldPlace[];
    return places.length === 0 ? spoken`in no other world` : spoken`also in ${placesWords(places)}`;
  }
  if (field.kind === 'formula')
    return value === '' ? spoken`the learner’s formula` : `${label} (${formulaNameIn(String(value))})`;
  if (hasParts(field)) return label;
  if (Array.isArray(value)) return value.length === 0 ? spoken`no ${label}` : `${label} ${value.join(spoken` and `)}`;
  return `${label} ${String(value)}`;
}

/** A description of the setting `path` with the value `value`; only `path` if there is no such field. */
export function changeWords(path: string, value: unknown): string {
  const field = fieldAt(path);
  return field ? settingWords(field, value) : path;
}
