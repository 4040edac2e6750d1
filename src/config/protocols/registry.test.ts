// The rules that the folder of every protocol must meet.
import { expect, it } from 'vitest';
import type { ShippedProtocol } from './facts.ts';
import { protocolNames, protocolsWhere } from './registry.ts';

const found = Object.entries(
  import.meta.glob<ShippedProtocol>('../../extensions/protocols/*/protocol.ts', { eager: true, import: 'protocol' }),
);

it('each folder is named as its protocol, and no two have one place in lists', () => {
  const folders = found.map(([file]) => file.split('/').at(-2) as string);
  expect(protocolNames.toSorted()).toEqual([...folders, 'own'].toSorted());
  expect(new Set(found.map(([, { order }]) => order)).size).toBe(folders.length);
});

it.each(['steps', 'alone', 'heard', 'unheard'])('one protocol alone stands for written ones of the kind %s', (kind) => {
  expect(protocolsWhere(({ standsFor }) => standsFor === kind)).toHaveLength(1);
});
