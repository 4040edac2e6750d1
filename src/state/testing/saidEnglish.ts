// Collects all English texts of the page from the code and from the tables, each with the files that contain it. Tests
// check that there is a German text for each English text.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'svelte/compiler';
import ts from 'typescript';
import * as v from 'valibot';
import { speakIn } from '../../base/spoken.ts';
import { analyses } from '../../config/analyses/registry.ts';
import { plannedPair } from '../../config/ownProtocol.ts';
import { learnerFacts, learnerNames } from '../../config/learners/registry.ts';
import { presetConfig } from '../../config/presets.ts';
import { protocolNames, chosenProtocol } from '../../config/protocols/registry.ts';
import { startRules } from '../../config/warmStarts.ts';
import { worldNames } from '../../config/worlds/registry.ts';
import { lessonFacts, lessonNames, loadLesson } from '../../lessons/registry.ts';
import { claimsSchema } from '../../records/claims/claimRecord.ts';
import { tableTexts } from './tableTexts.ts';

/** The names of functions and template tags whose arguments are displayed texts. */
interface Sayers {
  calls: readonly string[];
  tags: readonly string[];
}

const isOf = (sayers: Sayers, text: string) => [...sayers.calls, ...sayers.tags].some((name) => text.includes(name));

/** The key of a text with placeholders. For example, spoken`level ${level}` has the key `level {0}`. */
const keyOf = (parts: readonly string[]): string => parts.reduce((text, part, i) => `${text}{${i - 1}}${part}`);

/** All texts that may be the value of an expression. */
function textsOf(node: ts.Node): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isParenthesizedExpression(node)) return textsOf(node.expression);
  if (ts.isConditionalExpression(node)) return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)];
  return ts.isBinaryExpression(node) ? [...textsOf(node.left), ...textsOf(node.right)] : [];
}

function textsSaid(node: ts.Node, { calls, tags }: Sayers): string[] {
  if (ts.isCallExpression(node)) {
    const { expression: callee, arguments: given } = node;
    const isLanguage = ts.isPropertyAccessExpression(callee) && callee.expression.getText() === 'language';
    const name = isLanguage ? callee.name.text : callee.getText();
    return calls.includes(name) && given[0] ? textsOf(given[0]) : [];
  }
  if (!ts.isTaggedTemplateExpression(node) || !tags.includes(node.tag.getText())) return [];
  const { template } = node;
  if (ts.isNoSubstitutionTemplateLiteral(template)) return [template.text];
  return [keyOf([template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)])];
}

/** All displayed texts in a piece of code. */
function saidIn(text: string, sayers: Sayers): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    found.push(...textsSaid(node, sayers));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('', text, ts.ScriptTarget.Latest, true));
  return found;
}

/** The code of a Svelte component: its script, and all expressions in its markup. */
function scriptsOf(component: string): string {
  const scripts: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== 'object' || node === null) return;
    const { type, start, end } = node as { type?: string; start?: number; end?: number };
    if (type === 'CallExpression') scripts.push(`(${component.slice(start, end)});`);
    else Object.values(node).forEach(visit);
  };
  const { fragment, instance, module } = parse(component, { modern: true });
  for (const script of [instance, module]) {
    const { start, end } = (script?.content ?? { start: 0, end: 0 }) as unknown as { start: number; end: number };
    scripts.push(component.slice(start, end));
  }
  visit(fragment);
  return scripts.join('\n');
}

/** The code in these folders, by file. For components, this is the script and the expressions of the markup. */
function codeIn(folders: readonly string[], sayers: Sayers): [file: string, code: string][] {
  return folders
    .flatMap((room) =>
      readdirSync(room, { recursive: true, encoding: 'utf8' }).map((name) => path.posix.join(room, name)),
    )
    .filter((name) => /\.(svelte|ts)$/.test(name) && !/\.test\.ts$|\/testing\//.test(name))
    .map((name): [string, string] => [name, readFileSync(name, 'utf8')])
    .filter(([, text]) => isOf(sayers, text))
    .map(([name, text]) => [name, name.endsWith('.svelte') ? scriptsOf(text) : text]);
}

/** The folder of the extension that contains a file; empty for all other code. */
const ownerOf = (file: string): string => /^src\/extensions\/\w+\/\w+(?=\/)/.exec(file)?.[0] ?? '';

/** For each kind of extension, the paths of its texts in the tables. */
const placesOf = {
  worlds: [/^world\.(\w+)\./, /^setting\.(\w+)\./, /^section\.of\.(\w+)$/, /^setting\.world\.name\.labels\.(\w+)$/],
  learners: [/^setting\.learning\.learner\.(?:labels|meanings)\.(\w+)$/],
  protocols: [/^setting\.agents\.protocol\.(?:labels|meanings)\.(\w+)$/],
} as const;
const extensionNames: Readonly<Record<keyof typeof placesOf, readonly string[]>> = {
  worlds: worldNames,
  learners: learnerNames,
  protocols: protocolNames.filter((name) => name !== 'own'),
};

/**
 * The folder of the extension to which the text at this path of the tables belongs; empty if the text belongs to no
 * extension.
 */
function extensionAt(place: string): string {
  for (const kind of ['worlds', 'learners', 'protocols'] as const)
    for (const pattern of placesOf[kind]) {
      const name = pattern.exec(place)?.[1];
      if (name !== undefined && extensionNames[kind].includes(name)) return `src/extensions/${kind}/${name}`;
    }
  return '';
}

/** The parts of error messages that are taken from tables and do not depend on the settings. */
function saidOfRules(): string[] {
  const asked: string[] = [];
  speakIn(() => new Proxy({}, { getOwnPropertyDescriptor: (_, key) => (asked.push(String(key)), undefined) }));
  for (const { refusal } of startRules) refusal(presetConfig('default'));
  speakIn(() => null);
  // The labels of settings are texts in tables.
  const inTables = new Set(tableTexts().map(({ english }) => english));
  return asked.filter((key) => key !== '' && !inTables.has(key));
}

/** The texts of all properties with this name in a folder. */
const valuesOf = (property: string, folder: string): string[] =>
  codeIn([folder], { calls: [`${property}: '`, `${property}:\n`], tags: [] }).flatMap(([, text]) =>
    [...text.matchAll(new RegExp(`\\b${property}:\\s+'([^']+)'`, 'g'))].map(([, value = '']) => value),
  );

/** The texts of the claims. References to papers are excluded, because they are the same in every language. */
const saidOfClaims = () =>
  v
    .parse(claimsSchema, JSON.parse(readFileSync('bench/results/claims.json', 'utf8')))
    .rows.flatMap(({ statement, source, direction, measure, regime, arms, control, tried }) => [
      ...[
        statement,
        direction,
        measure,
        regime,
        ...[...arms, ...(control ? [control] : [])].map(({ label }) => label),
        ...tried.map((one) => one.regime),
      ],
      ...(/project|prototype/.test(source) ? [source] : []),
    ]);

/** The texts of each protocol, with the folder of the protocol. */
const saidOfProtocols = (): (readonly [text: string, owner: string])[] =>
  protocolNames.flatMap((protocol) => {
    const { alone, message } = chosenProtocol({ protocol, own: plannedPair });
    const owner = protocol === 'own' ? '' : `src/extensions/protocols/${protocol}`;
    return [alone, message?.name, message?.reading].flatMap((text) =>
      text === undefined ? [] : [[text, owner] as const],
    );
  });

const termsOfAnalyses = import.meta.glob<readonly { word: string }[]>('../../extensions/analyses/*/page/terms.ts', {
  eager: true,
  import: 'terms',
});

/** The texts of the glossary. Entries that belong to a learner or an analysis are listed with its folder. */
function saidOfTerms(terms: readonly { word: string; meaning: string }[]) {
  const owners = new Map([
    ...learnerNames.map((name) => [learnerFacts[name].label, `src/extensions/learners/${name}`] as const),
    ...Object.entries(termsOfAnalyses).flatMap(([file, own]) =>
      own.map(({ word }) => [word, `src/${file.split('/').slice(2, 5).join('/')}`] as const),
    ),
  ]);
  return terms.flatMap(({ word, meaning }) => [word, meaning].map((text) => [text, owners.get(word) ?? ''] as const));
}

/** The texts in the facts of each analysis, each with the folder of the analysis. */
const saidOfAnalyses = (): (readonly [text: string, owner: string])[] =>
  analyses.flatMap(({ name, label, lesson }) =>
    [
      label,
      ...(lesson ? [lesson.label, lesson.button, ...Object.values(lesson.measures).map((one) => one.label)] : []),
    ].map((text) => [text, `src/extensions/analyses/${name}`] as const),
  );

/** The facts of each lesson, such as its title, with the folder of the lesson. */
const saidOfLessons = async (): Promise<(readonly [text: string, owner: string])[]> =>
  (
    await Promise.all(
      lessonNames.map(async (name) => {
        const { title, aim } = lessonFacts(name);
        const texts = (await loadLesson(name)).lesson?.texts?.values() ?? [];
        return [title, aim, ...texts].map((text) => [text, `src/extensions/lessons/${name}`] as const);
      }),
    )
  ).flat();

/**
 * Each English text, with the folders of the extensions that use it. An empty folder means that it is used outside of
 * extensions.
 */
export type English = ReadonlyMap<string, ReadonlySet<string>>;

function collected(said: readonly (readonly [text: string, owner: string])[]): English {
  const owners = new Map<string, Set<string>>();
  for (const [text, owner] of said) owners.set(text, (owners.get(text) ?? new Set()).add(owner));
  return owners;
}

/** All texts of the page except those that are found by a key of messages/en.json. */
export async function saidEnglish(terms: readonly { word: string; meaning: string }[]): Promise<English> {
  const inCode = (sayers: Sayers) =>
    codeIn(['src', 'workers'], sayers).flatMap(([file, text]) =>
      saidIn(text, sayers).map((english) => [english, ownerOf(file)] as const),
    );
  const common = [
    // Some texts are not marked in the code, because they are stored in English: the lines of formulas in records, and
    // some rules in the tables of settings. These texts are translated when they are displayed.
    ...valuesOf('title', 'src/training'),
    ...valuesOf('says', 'src/config'),
    ...saidOfRules(),
    ...saidOfClaims(),
  ];
  return collected([
    ...inCode({ calls: ['say', 'msg'], tags: ['spoken', 'told', 'because'] }),
    ...tableTexts().map(({ key, english }) => [english, extensionAt(key)] as const),
    ...saidOfProtocols(),
    ...saidOfTerms(terms),
    ...saidOfAnalyses(),
    ...(await saidOfLessons()),
    ...common.map((text) => [text, ''] as const),
  ]);
}
