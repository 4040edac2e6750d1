// The English texts of the tables that the page shares with the command line and the documentation. Each text is
// written only in its table, and is translated where it is displayed.
import { describeFields } from '../../config/describe.ts';
import { presetGroups, presets } from '../../config/presets.ts';
import { sectionLabels } from '../../config/schema.ts';
import { helpsOfWorlds } from '../../config/sections/world.ts';
import { commonParts, rightAnswer } from '../../config/worlds/form.ts';
import { datasetShapes, mediumGrade, partlyRight } from '../../config/worlds/imported.ts';
import { worldForms } from '../../config/worlds/registry.ts';
import { formulaTerms } from '../../records/formulaTerms.ts';
import { wonWords } from '../../records/inspection.ts';
import { metricTable } from '../../records/metrics.ts';
import { profileParts, profileTable } from '../../records/profile.ts';
import { worldTexts, type TextProperties } from '../visitor/worldForms.ts';

interface Table extends TextProperties {
  prefix: string;
  table: object;
}

const tables: readonly Table[] = [
  { prefix: 'section', table: { of: sectionLabels }, texts: [], maps: ['of'] },
  {
    prefix: 'setting',
    table: describeFields(),
    texts: ['label', 'help', 'group', 'unit'],
    maps: ['labels', 'meanings'],
  },
  { prefix: 'preset', table: presets, texts: ['label', 'help'] },
  { prefix: 'presets', table: presetGroups, texts: ['label'] },
  { prefix: 'metric', table: metricTable, texts: ['label', 'formula'] },
  { prefix: 'symbol', table: formulaTerms, texts: ['name', 'help'] },
  { prefix: 'won', table: { of: wonWords }, texts: [], maps: ['of'] },
  { prefix: 'part', table: { profile: profileParts }, texts: ['label', 'meaning'] },
  { prefix: 'profile', table: profileTable, texts: ['label', 'meaning'] },
  { prefix: 'world', table: worldForms, ...worldTexts },
  { prefix: 'part', table: [rightAnswer, ...commonParts, partlyRight], texts: worldTexts.texts },
  {
    prefix: 'dataset',
    // The names of data sets are the same in every language.
    table: Object.values(datasetShapes).map(({ hidden, columns, slice, grades }) => ({
      ...{ hidden, columns, slice, grades },
      medium: { label: mediumGrade },
    })),
    texts: ['label', 'sentence', 'columns', 'slice'],
    maps: ['grades'],
  },
];
/** Texts under these keys are skipped, because they are not displayed. */
const facts = new Set(['settings', 'matters', 'fallback', 'shipped', 'given']);

interface Text {
  /** The path of the text, such as `setting.world.level.help`. */
  key: string;
  english: string;
}

function textsIn({ prefix, table, texts, maps = [] }: Table): Text[] {
  const within = (node: object, at: string, isMap: boolean): Text[] =>
    Object.entries(node).flatMap(([name, value]) => {
      const key = `${at}.${idOf(node, name, value)}`;
      if (typeof value === 'string') return isMap || texts.includes(name) ? [{ key, english: value }] : [];
      const isInside = typeof value === 'object' && value !== null && !facts.has(name);
      return isInside ? within(value as object, key, maps.includes(name)) : [];
    });
  return within(table, prefix, false);
}

/** Every text of the tables, with its path. */
export const tableTexts = (): Text[] =>
  tables
    .flatMap(textsIn)
    // A symbol without a letter is the same in every language.
    .filter(({ key, english }) => /\p{L}/u.test(english) && !isMadeOfOthers(key));

const madeOfOthers = Object.keys(helpsOfWorlds).map((path) => `setting.${path}.help`);
const isMadeOfOthers = (key: string) => madeOfOthers.includes(key);

/** In the path of a list's entry, the name of the entry is used instead of its index. */
function idOf(node: object, name: string, value: unknown): string {
  if (!Array.isArray(node) || typeof value !== 'object' || value === null) return name;
  const { path, name: own, level, label } = value as Partial<Record<string, string | number>>;
  return String(path ?? own ?? level ?? label ?? name);
}
