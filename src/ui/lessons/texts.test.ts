// The message files beside the lessons that need them.
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import german from '../../../messages/de.json';
import english from '../../../messages/en.json';
import { claimsSchema } from '../../records/claims/claimRecord.ts';
import { lessonNames, loadLesson } from '../../lessons/shelf.ts';
import { richParts } from './rich.ts';

const languages: [string, Record<string, string>][] = [
  ['English', english],
  ['German', german],
];

/** Slots of a message, sorted. */
const slots = (text: string) => [...text.matchAll(/\{(\w+)/g)].map(([, name]) => name).sort();

describe.each(languages)('%s', (_, texts) => {
  it('has every message, with the same slots', () => {
    expect(Object.keys(texts).sort()).toEqual(Object.keys(english).sort());
    for (const [key, text] of Object.entries(texts)) {
      expect(text.trim(), key).not.toBe('');
      expect(new Set(slots(text)), key).toEqual(new Set(slots(english[key as keyof typeof english])));
    }
  });

  it('has no message that does not parse, and none with an exclamation mark', () => {
    for (const [key, text] of Object.entries(texts)) {
      expect(() => compileMessage(text), key).not.toThrow();
      expect(text, key).not.toContain('!');
    }
  });

  it('explains every word that opens', () => {
    for (const [key, text] of Object.entries(texts))
      for (const part of richParts(text))
        if (part.kind === 'term') expect(texts[`term.${part.term}`], key).toBeTruthy();
  });

  it.each(lessonNames)('has all that lesson %s says', async (name) => {
    const { lesson } = await loadLesson(name);
    const needed = ['title', 'aim', 'end'];
    for (const { name: step, does, checks } of lesson?.steps ?? []) {
      needed.push(step, `${step}.title`);
      if (does && !texts[`lesson.does.${does}`]) needed.push(`${step}.button`);
      for (const check of checks) {
        if (check.kind === 'measure') expect(texts, name).toHaveProperty([`measure.${check.measure}`]);
        else needed.push(`${step}.ask`, `${step}.hint`);
        if (check.kind === 'choice' && check.asks === undefined)
          needed.push(...check.choice.map((one) => `${step}.choice.${one}`));
      }
    }
    for (const part of needed) expect(texts).toHaveProperty([`lesson.${name}.${part}`]);
  });
});

it('lessons say of the claims they rest on what the benches found', async () => {
  const { rows } = v.parse(claimsSchema, JSON.parse(readFileSync('bench/results/claims.json', 'utf8')));
  for (const name of lessonNames) {
    const { lesson } = await loadLesson(name);
    if (lesson?.claim === undefined) continue;
    const claim = rows.find(({ id }) => id === lesson.claim);
    expect(claim?.verdict === 'shown', `${name}: ${lesson.claim}`).toBe(lesson.isShown ?? true);
  }
});

it('a text is told apart into plain words, strong ones, formulas and words that open', () => {
  expect(richParts('a **b** `c` [[d|rule]].')).toEqual([
    { kind: 'plain', text: 'a ' },
    { kind: 'strong', text: 'b' },
    { kind: 'plain', text: ' ' },
    { kind: 'code', text: 'c' },
    { kind: 'plain', text: ' ' },
    { kind: 'term', text: 'd', term: 'rule' },
    { kind: 'plain', text: '.' },
  ]);
  expect(richParts('4 * 3 ** 2 [[x]]')).toEqual([{ kind: 'plain', text: '4 * 3 ** 2 [[x]]' }]);
});
