// Every sentence that the code puts together in English has its German, with the same gaps, and no German is left over.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import * as v from 'valibot';
import { afterAll, describe, expect, it } from 'vitest';
import german from '../../../messages/phrases/de.json';
import { inTongue, speakIn } from '../../base/spoken.ts';
import { changeWords } from '../../config/describe.ts';
import { presetConfig } from '../../config/presets.ts';
import { withSettings } from '../../config/parse.ts';
import { protocolNames } from '../../config/names.ts';
import { plannedPair } from '../../config/ownProtocol.ts';
import { talkFacts } from '../../config/protocolFacts.ts';
import { refusalOf } from '../../config/refusals/table.ts';
import { introduce, type OwnForm } from '../../config/worlds/own.ts';
import { formOf } from '../../config/worlds/registry.ts';
import { startRules } from '../../config/warmStarts.ts';
import { claimsSchema } from '../../records/claims/claimRecord.ts';
import { readDataset } from '../../formats/datasets/dataset.ts';
import { readSafetensors } from '../../formats/safetensors.ts';
import { edited, draftOf } from '../draft.ts';
import { Language, saidReason } from './language.svelte.ts';

const files = ['src', 'workers'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name)),
);
const sources = files
  .filter((name) => name.endsWith('.ts') && !/\.test\.ts$|[/\\]testing[/\\]/.test(name))
  .map((name) => ({ name, text: readFileSync(name, 'utf8') }));

/** Keys of the tagged templates of a file. */
function keysIn({ name, text }: { name: string; text: string }): string[] {
  if (!/\b(spoken|told)`/.test(text)) return [];
  const keys: string[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isTaggedTemplateExpression(node) && ['spoken', 'told'].includes(node.tag.getText())) {
      const { template } = node;
      if (ts.isNoSubstitutionTemplateLiteral(template)) keys.push(template.text);
      else
        keys.push(
          template.templateSpans.reduce((key, { literal }, i) => `${key}{${i}}${literal.text}`, template.head.text),
        );
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true));
  return keys;
}

/** The keys that a row of a table of refusals asks for, whatever the settings. */
function keysOfRules(): string[] {
  const asked: string[] = [];
  speakIn(() => new Proxy({}, { getOwnPropertyDescriptor: (_, key) => (asked.push(String(key)), undefined) }));
  for (const { refusal } of startRules) refusal(presetConfig('default'));
  for (const protocol of protocolNames) inTongue(talkFacts({ protocol, own: plannedPair }).alone ?? '');
  speakIn(() => null);
  return asked.filter((key) => key !== '');
}

/** The titles of the lines of formula cards: records say them in English, and the card in the language of the page. */
const formulaTitles = sources
  .filter(({ name }) => name.includes(path.join('src', 'training')))
  .flatMap(({ text }) => [...text.matchAll(/\btitle: '([^']+)'/g)].map(([, title = '']) => title));

/** The words of the claims; sources that are papers are the same everywhere. */
const ofClaims = v
  .parse(claimsSchema, JSON.parse(readFileSync('bench/results/claims.json', 'utf8')))
  .rows.flatMap(({ statement, source, direction, measure, runIn, arms, tried }) => [
    ...[statement, direction, measure, runIn, ...arms.map(({ label }) => label), ...tried.map(({ regime }) => regime)],
    ...(/project|prototype/.test(source) ? [source] : []),
  ]);

const gaps = (text: string) => [...new Set(text.match(/\{[\w.]+\}/g) ?? [])].sort();

describe('the phrases', () => {
  it('are German for every sentence that is put together, with the same gaps', () => {
    const keys = [...new Set([...sources.flatMap(keysIn), ...keysOfRules(), ...formulaTitles, ...ofClaims])];
    expect(keys.length).toBeGreaterThan(300);
    expect(keys.filter((key) => !Object.hasOwn(german, key))).toEqual([]);
    for (const [key, text] of Object.entries(german)) expect(gaps(text), key).toEqual(gaps(key));
  });

  it('are all said somewhere, and do not shout', () => {
    const code = sources.map(({ text }) => text).join('\n');
    const isSaid = (key: string) => ofClaims.includes(key) || key.split(/\{\d+\}/).every((part) => code.includes(part));
    expect(Object.keys(german).filter((key) => !isSaid(key))).toEqual([]);
    expect(Object.values(german).filter((text) => text.includes('!'))).toEqual([]);
  });
});

describe('on a German page', () => {
  const language = new Language();
  const base = presetConfig('default');
  afterAll(() => language.choose('en'));

  it('a refusal, its remedy and what a field accepts are German', async () => {
    await language.choose('de');
    const { error } = edited(draftOf(base), 'learning.aggregation', 'token');
    expect(error?.message).toBe('„Token“ geht nicht mit einer Ratio je Zug zusammen.');
    expect(error?.remedy?.words).toBe('Ratio setzen auf: Token');
    expect(refusalOf(withSettings(base, { 'reward.across': 'dictator' }))?.says).toMatch(/^„der erste Agent“ bezahlt/);
    expect(edited(draftOf(base), 'learning.groupSize', 0).error?.message).toMatch(
      /^Erwartet: eine ganze Zahl von 1 bis/,
    );
  });

  it('what is wrong with a file is said in German', async () => {
    await language.choose('de');
    expect(() => readSafetensors(new Uint8Array(3))).toThrow(
      'safetensors: erwartet: mindestens 8 Bytes; hier sind es 3.',
    );
    await expect(readDataset(new File(['{"a": 1}'], 'a.jsonl'), { contextSigns: 100 })).rejects.toThrow(
      /^die Datei: erwartet: Zeilen/,
    );
  });

  it('reasons of the check are German there and English elsewhere', async () => {
    const reason = 'finished with a step left to do; 1 was the answer, 6 came';
    await language.choose('de');
    expect(saidReason(reason)).toBe('beendet, obwohl noch ein Schritt zu tun ist; die Antwort war 1, es kam 6');
    await language.choose('en');
    expect(saidReason(reason)).toBe(reason);
  });

  it('how a problem is typed, and tokens that are words, are German', async () => {
    await language.choose('de');
    const { typed, signs } = formOf('houseRule');
    expect(typed?.hint).toBe('Zahlen mit +, −, × oder ÷ dazwischen, etwa 7+4*2.');
    expect(signs).toMatchObject({ '<rightToLeft>': 'von rechts nach links', '*': '×' });
    await language.choose('en');
    expect(signs?.['<rightToLeft>']).toBe('right to left');
  });

  it('a world of imported data is called in German, and stored in English', async () => {
    const name = 'own-0123456789abcdef';
    const stored: OwnForm = {
      ...{ name, label: 'Mine', sentence: '30 problems of a file in the shape of GSM8K.', parts: [] },
      levels: [{ level: 1, label: '1 or 2 steps' }],
      hidden: [{ name: 'question', label: 'the question', sentence: 'All that is told and asked.' }],
      vocabularies: { bytePairs: '294 tokens of byte pairs, learned from the file' },
    };
    introduce(stored);
    await language.choose('de');
    expect(formOf(name)).toMatchObject({
      ...{ label: 'Mine', sentence: '30 Aufgaben einer Datei in der Form von GSM8K.' },
      levels: [{ level: 1, label: '1 oder 2 Schritte' }],
      hidden: [{ name: 'question', label: 'die Frage' }],
      vocabularies: { bytePairs: '294 Tokens aus Bytepaaren, gelernt aus der Datei' },
    });
    expect(stored.levels[0]?.label).toBe('1 or 2 steps');
    await language.choose('en');
    expect(formOf(name)).toEqual(stored);
  });

  it('settings are said by label and value', async () => {
    await language.choose('de');
    expect(changeWords('agents.parameters', 'separate')).toBe('Parameter: Getrennt');
    expect(changeWords('learning.normAdv', false)).toBe('ohne „Je Agent normieren“');
    await language.choose('en');
    expect(changeWords('agents.parameters', 'separate')).toBe('separate parameters');
  });
});
