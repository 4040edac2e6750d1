// Tests that composed sentences, and texts in tables and records, are displayed in the language of the page.
import { afterAll, describe, expect, it } from 'vitest';
import { because } from '../../base/reason.ts';
import { reasonInWords, told } from '../../base/spoken.ts';
import { changeWords } from '../../config/describe.ts';
import { presetConfig } from '../../config/presets.ts';
import { withSettings } from '../../config/parse.ts';
import { refusalOf } from '../../config/refusals/table.ts';
import { introduce, type OwnForm } from '../../config/worlds/own.ts';
import { readDataset } from '../../formats/datasets/dataset.ts';
import { readSafetensors } from '../../formats/safetensors.ts';
import { edited, draftOf } from '../settings/draft.ts';
import { Language } from './language.svelte.ts';
import { shownFormOf, shownOwnForm } from './worldForms.ts';

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
    const reason = [
      ...because`the planner finished with one step left to do`,
      ...because`the answer was ${1}, but ${6} was given`,
    ];
    await language.choose('de');
    expect(reasonInWords(reason)).toBe(
      'der Planer beendete, obwohl noch ein Schritt zu tun ist; die Antwort war 1, es kam 6',
    );
    await language.choose('en');
    expect(reasonInWords(reason)).toBe(
      'the planner finished with one step left to do; the answer was 1, but 6 was given',
    );
  });

  it('how a problem is typed, and tokens that are words, are German', async () => {
    await language.choose('de');
    const { typed, signs } = shownFormOf('houseRule');
    expect(typed?.hint).toBe('Zahlen mit +, −, × oder ÷ dazwischen, etwa 7+4*2.');
    expect(signs).toMatchObject({ '<rightToLeft>': 'von rechts nach links', '*': '×' });
    await language.choose('en');
    expect(shownFormOf('houseRule').signs?.['<rightToLeft>']).toBe('right to left');
  });

  it('a world of imported data is called in German, and stored in English', async () => {
    const name = 'own-0123456789abcdef';
    const stored: OwnForm = {
      ...{ name, label: 'Mine', sentence: '30 problems from a file in the format of GSM8K.', parts: [] },
      levels: [{ level: 1, label: '1 or 2 steps' }],
      hidden: [{ name: 'question', label: 'the question', sentence: 'The whole story and the question.' }],
      vocabularies: { bytePairs: '294 byte-pair tokens, learned from the file' },
      told: [
        told`${30} problems from a file in the format of ${'GSM8K'}.`,
        ...[told`1 or 2 steps`, told`the question`, told`The whole story and the question.`],
        told`${294} byte-pair tokens, learned from the file`,
      ],
    };
    introduce(stored);
    await language.choose('de');
    expect(shownFormOf(name)).toMatchObject({
      ...{ label: 'Mine', sentence: '30 Aufgaben aus einer Datei im Format von GSM8K.' },
      levels: [{ level: 1, label: '1 oder 2 Schritte' }],
      hidden: [{ name: 'question', label: 'die Frage' }],
      vocabularies: { bytePairs: '294 Tokens aus Bytepaaren, gelernt aus der Datei' },
    });
    expect(stored.levels[0]?.label).toBe('1 or 2 steps');
    // Without this field, it is unknown whether the visitor wrote the text.
    const { told: _, ...before } = stored;
    expect(shownOwnForm(before)).toEqual(before);
    await language.choose('en');
    expect(shownFormOf(name)).toEqual(stored);
  });

  it('settings are said by label and value', async () => {
    await language.choose('de');
    expect(changeWords('agents.parameters', 'separate')).toBe('Parameter: Getrennt');
    expect(changeWords('learning.normAdv', false)).toBe('ohne „Je Agent normieren“');
    await language.choose('en');
    expect(changeWords('agents.parameters', 'separate')).toBe('separate parameters');
  });
});
