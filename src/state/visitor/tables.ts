// The tables that the page shares with the command line and the documentation keep their English, the only copy of it, and
// their texts are said where they are shown. Those of worlds go into casts and sentences first: they are made to answer in
// the language of the page.
import { describeFields } from '../../config/describe.ts';
import { presetGroups, presets } from '../../config/presets.ts';
import { sectionLabels } from '../../config/schema.ts';
import { helpsOfWorlds } from '../../config/sections/world.ts';
import { commonParts, rightAnswer } from '../../config/worlds/form.ts';
import { showForms, type OwnForm } from '../../config/worlds/own.ts';
import { worldForms } from '../../config/worlds/registry.ts';
import { formulaTerms } from '../../records/formula.ts';
import { wonWords } from '../../records/inspection.ts';
import { metricTable } from '../../records/metrics.ts';
import { profileParts, profileTable } from '../../records/profile.ts';

interface Spoken {
  prefix: string;
  table: object;
  /** Properties that are texts; all others are facts. */
  texts: readonly string[];
  /** Properties under which every text is one. */
  maps?: readonly string[];
}

const world = ['label', 'sentence', 'paidOn', 'hint'];
/** Tables whose texts are said where they are shown. */
const plain: readonly Spoken[] = [
  { prefix: 'section', table: { of: sectionLabels }, texts: [], maps: ['of'] },
  { prefix: 'setting', table: describeFields(), texts: ['label', 'help', 'group', 'unit'], maps: ['labels'] },
  { prefix: 'preset', table: presets, texts: ['label', 'help'] },
  { prefix: 'presets', table: presetGroups, texts: ['label'] },
  { prefix: 'metric', table: metricTable, texts: ['label', 'formula'] },
  { prefix: 'symbol', table: formulaTerms, texts: ['name', 'help'] },
  { prefix: 'won', table: { of: wonWords }, texts: [], maps: ['of'] },
  { prefix: 'part', table: { profile: profileParts }, texts: ['label', 'meaning'] },
  { prefix: 'profile', table: profileTable, texts: ['label', 'meaning'] },
];
const answering: readonly Spoken[] = [
  { prefix: 'world', table: worldForms, texts: world, maps: ['words', 'signs'] },
  { prefix: 'part', table: [rightAnswer, ...commonParts], texts: world },
];
/** Not looked into: nothing of it is shown. */
const facts = new Set(['settings', 'matters', 'fallback', 'shipped', 'given']);

interface Text {
  /** Its place: `setting.world.level.help`. */
  key: string;
  english: string;
  /** The object that holds it under this name. */
  node: object;
  name: string;
}

function textsIn({ prefix, table, texts, maps = [] }: Spoken): Text[] {
  const within = (node: object, at: string, isMap: boolean): Text[] =>
    Object.entries(node).flatMap(([name, value]) => {
      const key = `${at}.${idOf(node, name, value)}`;
      if (typeof value === 'string') return isMap || texts.includes(name) ? { key, english: value, node, name } : [];
      const isInside = typeof value === 'object' && value !== null && !facts.has(name);
      return isInside ? within(value as object, key, maps.includes(name)) : [];
    });
  return within(table, prefix, false);
}

/** Every text of tables, with its place. */
export const tableTexts = (tables: readonly Spoken[] = [...plain, ...answering]): Text[] =>
  tables
    .flatMap(textsIn)
    // A sign without a letter is the same everywhere.
    .filter(({ key, english }) => /\p{L}/u.test(english) && !isMadeOfOthers(key));

const madeOfOthers = Object.keys(helpsOfWorlds).map((path) => `setting.${path}.help`);
const isMadeOfOthers = (key: string) => madeOfOthers.includes(key);

/** Makes every text of shipped worlds answer by `translate`; called once. */
export function speakThrough(translate: (english: string) => string): void {
  for (const { english, node, name } of tableTexts(answering)) answerBy(node, name, () => translate(english));
}

/** Makes the forms of worlds that do not ship answer by `translate`, which leaves a visitor's own words as they are. */
export const speakForms = (translate: (english: string) => string): void =>
  showForms((stored) => {
    const form = JSON.parse(JSON.stringify(stored)) as OwnForm;
    const texts = textsIn({ prefix: '', table: form, texts: world, maps: ['words', 'vocabularies'] });
    for (const { english, node, name } of texts) answerBy(node, name, () => translate(english));
    return form;
  });

const answerBy = (node: object, name: string, get: () => string) =>
  Object.defineProperty(node, name, { get, enumerable: true, configurable: true });

/** An entry of a list goes by its own name. */
function idOf(node: object, name: string, value: unknown): string {
  if (!Array.isArray(node) || typeof value !== 'object' || value === null) return name;
  const { path, name: own, level, label } = value as Partial<Record<string, string | number>>;
  return String(path ?? own ?? level ?? label ?? name);
}
