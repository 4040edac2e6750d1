// There is a text to begin with for every way to talk (that each passes the battery is looked at in customWorld.test.ts).
import { expect, it } from 'vitest';
import { protocolsWhere } from '../../config/protocols/registry.ts';
import { templates } from './templates.ts';

it('every protocol has a template, and none two', () => {
  const served = Object.values(templates).flatMap(({ protocols }): readonly string[] => protocols);
  expect([...served].sort()).toEqual([...protocolsWhere(() => true)].sort());
});
