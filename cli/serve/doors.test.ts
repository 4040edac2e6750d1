// Checks that every door of `cothink serve` fulfils the requirements in door.ts.
import { expect, it } from 'vitest';
import { doorFacts, doorOptions, loadDoors } from './doors.ts';
import { nothing } from './testing/served.ts';

const doors = await loadDoors();

it.each(doors)('the server $name answers at its own paths and describes only what exists', (door) => {
  const paths = Object.keys(door.routes ?? {});
  expect(paths.length).toBeGreaterThan(0);
  for (const path of paths) expect(path).toMatch(/^\/[\w./]+$/);
  const others = doors.filter((other) => other !== door).flatMap(({ routes = {} }) => Object.keys(routes));
  expect(others.filter((path) => paths.some((own) => path.startsWith(own) || own.startsWith(path)))).toEqual([]);
  expect(door.sockets?.(nothing) ?? null).toBeNull();
  expect(door.says?.(nothing) ?? '').not.toContain('undefined');
});

it('no two servers have an option with the same name', () => {
  const all = doorFacts.flatMap(({ options = {} }) => Object.keys(options));
  expect(Object.keys(doorOptions).sort()).toEqual(all.sort());
});
