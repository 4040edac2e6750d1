// Tests rules that the folders of all protocols must follow.
import { expect, it } from 'vitest';
import type { ShippedProtocol } from './facts.ts';
import { protocolNames, protocolsWhere } from './registry.ts';

const found = Object.entries(
  import.meta.glob<ShippedProtocol>('../../extensions/protocols/*/protocol.ts', { eager: true, import: 'protocol' }),
);

const pages = import.meta.glob<string>('../../extensions/protocols/*/about.md', {
  ...{ eager: true, query: '?raw', import: 'default' },
});

it('each folder has the name of its protocol, and no two protocols have the same place in lists', () => {
  const folders = found.map(([file]) => file.split('/').at(-2) as string);
  expect(protocolNames.toSorted()).toEqual([...folders, 'own'].toSorted());
  expect(new Set(found.map(([, { order }]) => order)).size).toBe(folders.length);
});

it.each(['steps', 'alone', 'heard', 'unheard'])('one protocol represents all custom ones of the kind %s', (kind) => {
  expect(protocolsWhere(({ standsFor }) => standsFor === kind)).toHaveLength(1);
});

it.each(found)('%s has a page with its label and its generated facts', (file, { name, label }) => {
  const page = pages[file.replace('protocol.ts', 'about.md')] ?? '';
  expect(page.split('\n')[0]).toBe(`# ${label}`);
  expect(page).toContain(`<!-- generated:protocol_${name} -->`);
});
