// Texts that worlds write into records in English have German translations with the same gaps, which are found from the
// written text: reasons of the assessment, and labels of worlds that are not built in.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import german from '../../messages/recorded/de.json';
import { because, recorded, recordReader } from '../base/recorded.ts';
import { protocolsFor } from '../config/worlds/rules.ts';
import { datasetShapes } from '../config/worlds/imported.ts';
import { templates as worldTemplates } from './custom/templates.ts';
import { worlds } from './registry.ts';
import { reasonsOf, trialOf } from './testing/battery.ts';
import { sentence } from './words.ts';

const germanForms: Readonly<Record<string, string>> = german.forms;
/** The German translations of all reasons: common ones, and those of each world in its folder. */
const templates: Readonly<Record<string, string>> = Object.assign(
  {},
  german.reasons,
  ...Object.values(
    import.meta.glob<{ reasons?: object }>('../extensions/worlds/*/de.json', { eager: true, import: 'default' }),
  ).map(({ reasons }) => reasons),
);
const sources = ['src/extensions/worlds', 'src/tasks', 'src/config/worlds', 'src/formats/datasets'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.test\.ts$|testing[/\\]/.test(name))
    .map((name) => readFileSync(path.join(folder, name), 'utf8')),
);

/** The templates with this tag in a file: because`${a} was expected` is `{0} was expected`. */
function templatesIn(text: string, tag: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === tag) {
      const { template } = node;
      if (ts.isNoSubstitutionTemplateLiteral(template)) found.push(template.text);
      else
        found.push(
          template.templateSpans.reduce((key, { literal }, i) => `${key}{${i}}${literal.text}`, template.head.text),
        );
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('a world', text, ts.ScriptTarget.Latest, true));
  return found;
}

const written = Object.keys(templates);
const gaps = (text: string) => [...new Set(text.match(/\{\d+\}/g) ?? [])].sort();
const read = recordReader(templates);

describe('the reasons of the check', () => {
  it('are clauses, which end without a stop', () => {
    expect(written.length).toBeGreaterThan(60);
    expect(Object.values(templates).filter((text) => /[!.]/.test(text))).toEqual([]);
  });

  it('are each found by their own template, whatever stands in the gaps', () => {
    const filled = (text: string) => text.replace(/\{(\d)\}/g, (_, i: string) => `${7 + Number(i)}*x`);
    for (const [key, text] of Object.entries(templates)) expect(read(filled(key))).toBe(filled(text));
  });

  it('are German clause by clause, with the values that they were written with', () => {
    const one = because`${'5+4'} was asked for, ${'5+5'} came`;
    expect(read(sentence(one, because`not finished`, because`${6} was the answer, ${because`no number`} came`))).toBe(
      'gefragt war 5+4, es kam 5+5; nicht beendet; die Antwort war 6, es kam keine Zahl',
    );
    expect(read('dug at c4, the treasure was at b4 · finished with a step left to do')).toBe(
      'bei c4 gegraben, der Schatz lag bei b4 · beendet, obwohl noch ein Schritt zu tun ist',
    );
    expect(read('c4 is a wall on the map; walked into the guard at c4')).toBe(
      'auf c4 steht in der Karte: eine Wand; bei c4 angestoßen: die Wache',
    );
  });

  it('may quote what joins clauses', () =>
    expect(read('6 was expected, 7; 8 came; the turn was cut')).toBe(
      'erwartet war 6, es kam 7; 8; der Zug wurde abgeschnitten',
    ));

  it('that no template wrote stay as they are', () => {
    expect(read('that is not the way; 5 was the answer, 6 came')).toBe(
      'that is not the way; die Antwort war 5, es kam 6',
    );
    expect(read('')).toBe('');
    // Text longer than any template can produce is not searched: a foreign text could be designed to take long.
    const long = `${'; '.repeat(50_000)}${'x'.repeat(1_000)} was the answer, 6 came`;
    expect(read(long)).toBe(long);
  });

  /** Each clause that has a German translation is replaced by `o`. */
  const marked = recordReader(Object.fromEntries(written.map((key) => [key, 'o'])));
  it.each(
    Object.values(worlds).flatMap((world) => world.levels.map(({ level }) => [world.label, level, world] as const)),
  )('of %s, level %i, are all German', async (_, level, world) => {
    const reasons = (await reasonsOf(trialOf(world, level, protocolsFor(world), 300))).filter(
      (reason) => reason !== '',
    );
    expect(reasons.length).toBeGreaterThan(3);
    expect(reasons.filter((reason) => !/^o(; o)*$/.test(marked(reason)))).toEqual([]);
  });
});

describe('what worlds are called that do not ship', () => {
  const said = recordReader(germanForms);

  it('has its German, with the same gaps, and no German is left over', () => {
    const tagged = new Set(sources.flatMap((text) => templatesIn(text, 'recorded')));
    expect(Object.keys(germanForms).sort()).toEqual([...tagged].sort());
    for (const [key, text] of Object.entries(germanForms)) expect(gaps(text), key).toEqual(gaps(key));
  });

  it('is German in all that a world of imported data says of itself', () => {
    for (const { hidden, grades, slice } of Object.values(datasetShapes))
      for (const text of [...hidden.flatMap(({ label, sentence: what }) => [label, what]), ...grades, slice])
        expect(Object.hasOwn(germanForms, text), text).toBe(true);
    expect(said(recorded`${294} tokens of byte pairs, learned from the file`)).toBe(
      '294 Tokens aus Bytepaaren, gelernt aus der Datei',
    );
    expect(said('30 problems of a file in the shape of GSM8K.')).toBe('30 Aufgaben einer Datei in der Form von GSM8K.');
    expect(said('Half of the paragraphs; those that the answer hangs on lie in both halves.')).toMatch(/^Die Hälfte/);
  });

  it('has a choice of what to begin with in German', () => {
    for (const { label } of Object.values(worldTemplates)) expect(Object.hasOwn(germanForms, label), label).toBe(true);
  });
});
