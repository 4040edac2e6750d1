// Tests that docs/teach.md names buttons and fields as the page does.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import english from '../../../messages/en.json';
import { texts as inGerman } from '../../state/visitor/german.ts';

/** All English texts of the page. A label such as “the secret” is also shown as “Secret”. */
const onPage = new Set(
  [...Object.keys(inGerman), ...Object.values(english)].flatMap((text) => [
    text,
    text.replace(/^the ./, (at) => at.slice(-1).toUpperCase()),
  ]),
);

it('every button and field that docs/teach.md names in bold is on the page', () => {
  const page = readFileSync('docs/teach.md', 'utf8').replace(/`[^`\n]+`/g, '');
  const named = [...page.matchAll(/\*\*([^*]+)\*\*/g)]
    .map(([, name = '']) => name.replace(/\s+/g, ' '))
    // A bold sentence, such as “**Open the run.**”, begins a paragraph and names nothing.
    .filter((name) => !name.endsWith('.'));
  expect(named.length).toBeGreaterThan(50);
  const asText = (name: string) => name.replace(/\d+$/, '{number}').replace(/(?<= · ).*/, '{role}');
  const isThere = (name: string) => onPage.has(asText(name));
  expect(named.filter((name) => !isThere(name))).toEqual([]);
});
