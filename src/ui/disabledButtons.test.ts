// Every button that can be disabled has a title or a description, which says why it is disabled.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

/** An attribute's value in braces, which may contain braces. */
const braces = String.raw`\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}`;
const button = new RegExp(String.raw`<(?:button|WorkButton)\b((?:"[^"]*"|${braces}|[^>{"])*)>`, 'g');

/** The attributes of the buttons in a component that can be disabled without a reason. */
const silentIn = (text: string): string[] =>
  [...text.matchAll(button)]
    .map(([, attributes = '']) => attributes.replaceAll(/\s+/g, ' ').trim())
    .filter((all) => /\b(?:aria-)?disabled=/.test(all) && !/\btitle=|\{title\}|aria-describedby=/.test(all));

it('finds a button without a reason, and no other', () => {
  expect(silentIn('<button disabled={a > 2 && { b: {} }} onclick={() => go()}>Go</button>')).toHaveLength(1);
  expect(
    silentIn('<button disabled={isBusy} title={isBusy ? why : undefined}>Go</button><button>Stop</button>'),
  ).toEqual([]);
});

it('every button that can be disabled says why', () => {
  const names = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.svelte'));
  expect(names.length).toBeGreaterThan(100);
  const silent = names.flatMap((name) =>
    silentIn(readFileSync(path.join('src', name), 'utf8')).map((attributes) => `${name}: ${attributes}`),
  );
  expect(silent).toEqual([]);
});
