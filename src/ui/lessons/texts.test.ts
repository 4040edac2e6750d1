// Tests the texts of lessons, and the files that contain them.
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import german from '../../../messages/de.json';
import english from '../../../messages/en.json';
import germanOfPage from '../../../messages/page/de.json';
import { analysisMeasures, lessonPartOf } from '../../config/analyses/registry.ts';
import { texts as inGerman } from '../../state/visitor/german.ts';
import { claimsSchema } from '../../records/claims/claimRecord.ts';
import { lessonNames, loadLesson } from '../../lessons/registry.ts';
import { richParts } from '../../lessons/texts.ts';
import { termOf } from '../glossary/spoken.ts';

/** Technical words of lessons in English and German, with the term that explains each of them. */
const words: [string, RegExp, RegExp][] = [
  ['rule', /\brules?\b/i, /regeln?\b/i],
  ['heldOut', /\bnew sums\b/, /\bneuen Aufgaben\b/],
  ['Token', /\btokens?\b/i, /\bTokens?\b/],
  ['iteration', /\biterations?\b/i, /\bIteration/],
  ['advantage', /\badvantages?\b/i, /\bVorteil/],
  ['ratio', /\bratios?\b/i, /\bVerhältnis/],
  ['clip', /\bclip(ped)?\b/i, /\bgekappt/],
  ['Reward', /\breward\b/i, /\bBelohnung\b/],
  ['rate', /\blearning rate\b/i, /\bLernrate\b/],
  ['checkpoint', /\bcheckpoint\b/i, /\bCheckpoint\b/],
  ['verifier', /\bverifier\b/i, /\bPrüfer\b/],
  ['bit', /\bbits\b/i, /\bBits?\b/],
  ['luck', /\bsame luck\b/, /\bdasselbe Glück\b/],
  ['interval', /\binterval\b/i, /\bIntervall\b/],
  ['warm', /\bwarm start\b/i, /\bWarmstart\b/],
  ['Seed', /\bseeds?\b/i, /\bStartzahl/],
  ['Update', /\bupdate\b/i, /\bLernschritt\b/],
  ['Group', /\bgroup\b/i, /\bGruppe\b/],
  ['Arm', /\barms?\b/i, /\bArme\b/],
  ['GRPO', /\bGRPO\b/, /\bGRPO\b/],
  ['VDN', /\bVDN\b/, /\bVDN\b/],
  ['Credit fidelity', /\bcredit fidelity\b/i, /Treue der Zuschreibung/],
  ['Collapse guard', /\bguard\b/i, /\bWächter\b/],
  ['Network', /\bnetworks?\b/i, /\bNetze?\b/],
  ['Weights', /\bweights\b/i, /\bGewichten?\b/],
  ['Agent', /\bagents?\b/i, /\bAgent(en)?\b/],
  ['Learner', /\blearners?\b/i, /\bLerner[ns]?\b/],
  ['Turn', /(?<!in )\bturns?\b(?! ratio)/i, /\b(Zug|Zuges)\b/],
  ['Planner', /\bplanner\b/i, /\bPlaner\b/],
  ['Reasoner', /\breasoner\b/i, /\bLöser\b/],
];

const lessons = await Promise.all(
  lessonNames.map(async (name) => {
    const { lesson } = await loadLesson(name);
    if (!lesson) throw new Error(`${name} cannot be read`);
    return { name, steps: lesson.steps, texts: Object.fromEntries(lesson.texts ?? []) };
  }),
);
const saidInLessons = new Set(lessons.flatMap(({ texts }) => Object.values(texts)));
/**
 * Pairs of an English text of the page and its German translation. Texts that are used only in lessons are not
 * included.
 */
const page = Object.entries(inGerman).filter(([text]) => !saidInLessons.has(text) || Object.hasOwn(germanOfPage, text));

interface Spoken {
  texts: Record<string, string>;
  /** Returns a text of a lesson in this language. */
  ofLesson: (english: string) => string;
  /** The texts on the page. */
  onPage: string[];
  technical: [string, RegExp][];
}

const languages: [string, Spoken][] = [
  [
    'English',
    {
      texts: english,
      ofLesson: (text) => text,
      onPage: page.map(([text]) => text),
      technical: words.map(([term, en]) => [term, en]),
    },
  ],
  [
    'German',
    {
      texts: german,
      ofLesson: (text) => inGerman[text] ?? '',
      onPage: page.map(([, text]) => text),
      technical: words.map(([term, , de]) => [term, de]),
    },
  ],
];

/** The names of the values in a message, sorted. */
const slots = (text: string) => [...text.matchAll(/\{(\w+)/g)].map(([, name]) => name).sort();

describe.each(languages)('%s', (_, { texts, ofLesson, onPage, technical }) => {
  const everywhere = [...Object.values(texts), ...[...saidInLessons].map(ofLesson)];

  it('has every message, with the same slots', () => {
    expect(Object.keys(texts).sort()).toEqual(Object.keys(english).sort());
    for (const [key, text] of Object.entries(texts)) {
      expect(text.trim(), key).not.toBe('');
      expect(new Set(slots(text)), key).toEqual(new Set(slots(english[key as keyof typeof english])));
    }
  });

  it('has only messages that can be parsed, and none with an exclamation mark', () => {
    for (const text of everywhere) {
      expect(() => compileMessage(text), text).not.toThrow();
      expect(text).not.toContain('!');
      expect(text.trim()).not.toBe('');
    }
  });

  it('uses the names of the page for all that a visitor must find or press', () => {
    const named = [...saidInLessons]
      .map(ofLesson)
      .flatMap((text) => [...text.matchAll(/[„“]([^“”]+)[“”]/g)].map(([, words = '']) => ({ text, words })));
    const isThere = (words: string) => onPage.some((one) => one === words || one.startsWith(`${words} `));
    expect(named.filter(({ words }) => !isThere(words))).toEqual([]);
    expect(named.length).toBeGreaterThan(5);
  });

  it('explains every word that can be opened', () => {
    for (const text of everywhere)
      for (const part of richParts(text))
        if (part.kind === 'term') expect(texts[`term.${part.term}`] ?? termOf(part.term)?.meaning, text).toBeTruthy();
  });

  it.each(lessons)('links each technical word of lesson $name at its first occurrence', (lesson) => {
    const { name, steps } = lesson;
    const read = [...steps.flatMap((step) => [step.name, `${step.name}.look`]), 'end'].flatMap(
      (part) => lesson.texts[part] ?? [],
    );
    const parts = read.map(ofLesson).flatMap(richParts);
    for (const [term, word] of technical) {
      // The first occurrence of the word must open an explanation or be bold. A bold term is explained in the text next
      // to it. Formulas are not searched.
      const first = parts.find((part) => (part.kind === 'term' ? part.term === term : word.test(part.text)));
      expect(first?.kind ?? 'term', `${name}: ${term}: ${first?.text}`).toMatch(/^(term|strong)$/);
    }
  });

  it.each(lessons)('has all texts of lesson $name and of its teacher’s sheet', (lesson) => {
    const { name, steps } = lesson;
    const needed = ['title', 'aim', 'end', 'sheet.talk', 'sheet.wrong'];
    for (const { name: step, does, checks } of steps) {
      needed.push(step, `${step}.title`);
      if (does && !lessonPartOf(does) && !texts[`lesson.does.${does}`]) needed.push(`${step}.button`);
      for (const check of checks) {
        if (check.kind === 'measure')
          expect(analysisMeasures[check.measure] ?? texts[`measure.${check.measure}`], check.measure).toBeDefined();
        else needed.push(`${step}.ask`, `${step}.hint`);
        if (check.kind === 'choice' && check.asks === undefined)
          needed.push(...check.choice.map((one) => `${step}.choice.${one}`));
      }
    }
    for (const part of needed) expect(ofLesson(lesson.texts[part] ?? ''), `${name}: ${part}`).toBeTruthy();
  });
});

it('lessons agree with the benchmark results of their claims', async () => {
  const { rows } = v.parse(claimsSchema, JSON.parse(readFileSync('bench/results/claims.json', 'utf8')));
  for (const name of lessonNames) {
    const { lesson } = await loadLesson(name);
    if (lesson?.claim === undefined) continue;
    const claim = rows.find(({ id }) => id === lesson.claim);
    expect(claim?.verdict === 'shown', `${name}: ${lesson.claim}`).toBe(lesson.isShown ?? true);
  }
});

it('a text is split into plain words, strong words, formulas and words with explanations', () => {
  expect(richParts('a **b** `c` [[d|rule]].')).toEqual([
    { kind: 'plain', text: 'a ' },
    { kind: 'strong', text: 'b' },
    { kind: 'plain', text: ' ' },
    { kind: 'code', text: 'c' },
    { kind: 'plain', text: ' ' },
    { kind: 'term', text: 'd', term: 'rule', after: '.' },
  ]);
  expect(richParts('4 * 3 ** 2 [[x]]')).toEqual([{ kind: 'plain', text: '4 * 3 ** 2 [[x]]' }]);
});
