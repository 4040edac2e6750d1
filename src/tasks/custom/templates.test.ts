// Tests that there is a template for every kind of dialogue. (customWorld.test.ts checks that each template passes the
// tests of worlds.)
import { expect, it } from 'vitest';
import { protocolsWhere } from '../../config/protocols/registry.ts';
import { templates } from './templates.ts';

it('every protocol has a template, and none two', () => {
  const served = Object.values(templates).flatMap(({ protocols }): readonly string[] => protocols);
  expect([...served].sort()).toEqual([...protocolsWhere(() => true)].sort());
});
