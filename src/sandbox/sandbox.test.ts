// Tests of malicious programs, which run in the real interpreter.
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openRoom, runProgram, type SandboxLimits } from './sandbox.ts';

const limits: SandboxLimits = { steps: 100, timeMs: 5_000, resultLength: 10_000 };
const run = (source: string, given: Partial<SandboxLimits> = {}) => runProgram(source, { ...limits, ...given });

describe('a program', () => {
  it('gives plain data', async () => {
    expect(await run('[1, 2].map((x) => x * 2)')).toEqual({ value: [2, 4] });
    expect(await run('({ a: "ß€", b: [null, true], c: () => 1 })')).toEqual({ value: { a: 'ß€', b: [null, true] } });
    expect(await run('undefined')).toEqual({ value: null });
    expect(await run('NaN')).toEqual({ value: null });
  });

  it('has its faults told with their line', async () => {
    const fault = { cause: 'program', name: 'ReferenceError', message: "'b' is not defined", line: 2 };
    expect(await run('const a = 1;\na + b')).toEqual({ fault });
    expect(await run('1 +\n+;')).toMatchObject({ fault: { name: 'SyntaxError', line: 2 } });
    expect(await run('\n\nconst f = (x) => x.y.z;\n[1].map(f)')).toMatchObject({
      fault: { name: 'TypeError', line: 3 },
    });
    expect(await run('throw "a word"')).toMatchObject({ fault: { name: 'Error', message: 'a word' } });
  });

  it('meets nothing that another left', async () => {
    await run('globalThis.left = 1; Array.prototype.map = () => "mine"; JSON.stringify = () => "0"');
    expect(await run('[typeof left, [1].map((x) => x)]')).toEqual({ value: ['undefined', [1]] });
  });

  it('runs thousands of times', async () => {
    for (let i = 0; i < 2_000; i++)
      expect(await run(`((xs) => xs.map((x) => x + ${i}))([1])[0]`)).toEqual({ value: i + 1 });
  });
});

describe('nothing of the host is there', () => {
  const names =
    'fetch postMessage importScripts indexedDB localStorage caches navigator self window document process require XMLHttpRequest WebSocket Worker SharedArrayBuffer Atomics setTimeout queueMicrotask console performance Date WeakRef FinalizationRegistry Proxy';
  it.each(names.split(' '))('%s', async (name) => {
    expect(await run(`typeof globalThis.${name}`)).toEqual({ value: 'undefined' });
  });

  it('nor what would differ from one run to the next', async () => {
    expect(await run('typeof Math.random')).toEqual({ value: 'undefined' });
    const names = await run(
      'Object.getOwnPropertyNames(globalThis).filter((name) => /time|now|random|load|print|std|os/i.test(name))',
    );
    expect(names).toEqual({ value: [] });
  });

  it('nor modules', async () => {
    expect(
      await openRoom('import { readFileSync } from "node:fs"; export const read = readFileSync;', limits),
    ).toMatchObject({ fault: { cause: 'program' } });
    expect(await run('import("node:fs").then((fs) => fs)')).toMatchObject({
      fault: { cause: 'program', name: 'TypeError' },
    });
  });
});

describe('what takes too much ends as a fault, and the next program runs', () => {
  afterEach(async () => expect(await run('1 + 1')).toEqual({ value: 2 }));

  it.each([
    ['a loop', 'while (true);', 'time'],
    ['a loop that catches everything', 'for (;;) try { for (;;); } catch { }', 'time'],
    ['a regular expression', '/^(a+)+$/.test("a".repeat(40) + "b")', 'time'],
    ['a getter of an error', 'throw { get message() { for (;;); } }', 'program'],
    ['a getter of a result', '({ get a() { for (;;); } })', 'time'],
    ['a result without end', '({ toJSON() { for (;;); } })', 'time'],
    ['a text', '"a".repeat(1e9)', 'memory'],
    ['a list that grows', 'const all = []; for (;;) all.push("a".repeat(1e5) + all.length)', 'memory'],
    ['buffers', 'const all = []; for (;;) all.push(new Uint8Array(1e6))', 'memory'],
    ['recursion', 'const f = () => f() + 1; f()', 'stack'],
    ['recursion through native functions', 'const f = () => [1].map(f); f()', 'stack'],
    ['a deep result', 'let a = []; for (let i = 0; i < 20_000; i++) a = [a]; a', 'stack'],
    ['deep source text', `${'('.repeat(100_000)}`, 'stack'],
    ['a large result', '"a".repeat(100_000)', 'program'],
    ['a result that holds itself', 'const a = {}; a.a = a; a', 'program'],
    ['a promise that never settles', 'new Promise(() => {})', 'program'],
    ['an array of holes', 'Array(4e9).indexOf(1)', 'program'],
    ['something as long as an array', 'Array.prototype.includes.call({ length: 2 ** 50 }, 1)', 'program'],
    ['something that spreads', '[].concat({ length: 2 ** 50, [Symbol.isConcatSpreadable]: true })', 'program'],
    ['lists of the same list', 'let a = []; for (let i = 0; i < 60; i++) a = [a, a]; a.flat(Infinity)', 'time'],
    ['an array of holes in a flat map', '[1].flatMap(() => Array(4e9))', 'time'],
    ['a length that grows', 'let n = 0; [].includes.call({ get length() { return n++ ? 2 ** 50 : 0 } }, 1)', 'program'],
    [
      'a length that grows into a number',
      'let n = 0; [].includes.call({ length: { valueOf: () => n++ && 2 ** 50 } }, 1)',
      'program',
    ],
    [
      'a length that is inherited',
      'Object.prototype.value = 0; [].includes.call({ __proto__: { length: 2 ** 50 } }, 1)',
      'program',
    ],
    [
      'a list of the same lists, written',
      'let a = []; for (let i = 0; i < 60; i++) a = [a, a]; JSON.stringify(a)',
      'time',
    ],
    ['a result of the same lists', 'let a = []; for (let i = 0; i < 60; i++) a = [a, a]; a', 'time'],
    [
      'a search for what becomes a text',
      '"a".repeat(1e6).indexOf({ toString: () => "a".repeat(5e5) + "b" })',
      'program',
    ],
    ['an iterator without end', 'new Set({ [Symbol.iterator]: () => ({ next: Object }) })', 'time'],
    [
      'a list that goes on as it is read',
      'const all = [1]; const list = all.values(); all.length = 4e9; new Set(list)',
      'time',
    ],
    [
      'entries without end',
      'const own = { next() {}, value: ["a", 1] }; own.next = Object.prototype.valueOf; Object.fromEntries({ [Symbol.iterator]: () => own })',
      'time',
    ],
    [
      'a set without end',
      'new Set([undefined]).isSupersetOf({ size: 1, has: Boolean, keys: () => ({ next: Object }) })',
      'time',
    ],
    ['a helper of an iterator', 'Iterator.prototype.forEach.call({ next: Object }, Boolean)', 'time'],
    ['a sum without end', 'Math.sumPrecise({ [Symbol.iterator]: () => ({ next: Object, value: 0 }) })', 'program'],
    ['texts without end', 'String.raw({ raw: { length: 2 ** 40 } })', 'time'],
    ['a search in texts', 'const a = "a".repeat(1e6); a.indexOf("a".repeat(5e5) + "b")', 'program'],
  ])('%s', async (_, source, cause) => {
    expect(await run(source)).toMatchObject({ fault: { cause } });
  });

  it.each([
    ['lists', 'const a = Array(1e6).fill(0); for (;;) a.indexOf(1)'],
    ['texts', 'const a = "a".repeat(1e4); for (;;) a.indexOf("a".repeat(5e3) + "b")'],
    ['bytes', 'const a = new Uint8Array(3e7); for (;;) a.indexOf(1)'],
  ])('of what takes long natively, again and again, the clock hears in time: %s', async (_, source) => {
    const started = performance.now();
    expect(await run(source, { timeMs: 200 })).toMatchObject({ fault: { cause: 'time' } });
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('is told in few words', async () => {
    const { fault } = await run('const long = new Error("m".repeat(1e6)); long.name = "n".repeat(1e6); throw long');
    expect([fault?.name.length, fault?.message.length]).toEqual([500, 500]);
  });

  it('is told as it was, whatever was done to what tells it', async () => {
    const fault = { cause: 'program', name: 'TypeError', message: 'x', line: 2 };
    for (const trick of [
      'Object.prototype.toJSON = () => null',
      'RegExp.prototype.exec = () => { throw 1 }',
      'RegExp = String.prototype.slice = 0',
    ])
      expect(await run(`${trick};\nthrow new TypeError("x")`)).toEqual({ fault });
  });

  it('the same steps, whatever the clock', async () => {
    const counted = (count: number) => run(`for (let i = 0; i < ${count}; i++); "done"`, { steps: 3 });
    expect(await counted(1_000)).toEqual({ value: 'done' });
    expect(await counted(1_000_000)).toMatchObject({ fault: { cause: 'time', line: 1 } });
  });
});

it('methods that are bounded do what they always do', async () => {
  const texts = [
    '"a,b".split(",")',
    '"abc".split()',
    '"abc".split("")',
    '"a1b2".split(/\\d/)',
    '"aXb".replace("X", "-")',
    '"aXbX".replaceAll(/X/g, "-")',
    '"a1b2".replace(/\\d/g, (x) => x * 2)',
    '"abab".lastIndexOf("ab", 1)',
    '"abc".includes("b", 2)',
    '"undefined".indexOf()',
  ];
  const lists = [
    '[1, 2].flatMap((x) => [x, [x]])',
    '[1, [2, [3]]].flat(Infinity)',
    '[1].concat([2], 3)',
    '[].slice.call({ length: 1, 0: 4 })',
    '[..."ab"]',
  ];
  const sets = [
    '[...new Set([1, 1, 2])]',
    '[...new Map([[1, 2]])]',
    '[...new (class extends Set {})("aba")]',
    'new Set() instanceof Set',
    'Map.name',
    'Object.fromEntries(new Map([["a", 1]]))',
    'String.raw`a\\b${1}c`',
    'Object.getPrototypeOf(new Map()) === Map.prototype',
  ];
  const json = [
    'JSON.stringify({ a: 1, b: [{ a: 2, c: 3 }] }, ["b", "a"], 1)',
    'JSON.stringify({ a: new Map(), b: undefined }, (key, x) => x ?? key)',
  ];
  for (const source of [...texts, ...lists, ...sets, ...json])
    expect(await run(source), source).toEqual({ value: runInNewContext(source) as unknown });
});

it('what iterates natively does what it always does', async () => {
  expect(await run('Object.groupBy([1, 2, 3], (x) => (x % 2 ? "odd" : "even"))')).toEqual({
    value: { odd: [1, 3], even: [2] },
  });
  expect(await run('[1, 2].values().map((x) => x + 1).toArray()')).toEqual({ value: [2, 3] });
  expect(await run('[...new Set([1, 2]).union(new Set([3]))]')).toEqual({ value: [1, 2, 3] });
  expect(await run('[new Set([1]).isSubsetOf(new Map([[1, 2]])), Math.sumPrecise([0.1, 0.2])]')).toEqual({
    value: [true, 0.1 + 0.2],
  });
});

describe('prototype tricks stay inside', () => {
  it.each([
    'Object.prototype.polluted = 1; ({ a: 1 })',
    'const a = { a: 1 }; a.__proto__.polluted = 1; a',
    '({}).constructor.constructor("return this")().polluted = 1; ({ a: 1 })',
    'Object.defineProperty(Object.prototype, "length", { get() { return 2 ** 40 } }); ({ a: 1 })',
    'JSON.stringify = () => "mine"; JSON.parse = () => "mine"; Reflect.apply = () => "mine"; ({ a: 1 })',
    'RegExp.prototype.exec = () => { throw 1 }; Array.prototype[Symbol.iterator] = 0; ({ a: 1 })',
  ])('%s', async (source) => {
    expect(await run(source)).toEqual({ value: { a: 1 } });
    expect('polluted' in {}).toBe(false);
  });
});

describe('a room', () => {
  const open = async (source: string, given: Partial<SandboxLimits> = {}) => {
    const opened = await openRoom(source, { ...limits, ...given });
    if (opened.fault) throw new Error(opened.fault.message);
    return opened.room;
  };
  it('is a module whose functions are called with plain data', async () => {
    const room = await open(
      'export const twice = (x) => x * 2;\nexport function sum({ of }) { return of.reduce((a, b) => a + b) }\nexport const no = 1',
    );
    expect(room.call('twice', 4)).toEqual({ value: 8 });
    expect(room.call('sum', { of: [1, 2, 3] })).toEqual({ value: 6 });
    expect(room.functions()).toEqual({ value: ['sum', 'twice'] });
    expect(room.call('missing')).toMatchObject({ fault: { cause: 'program', name: 'TypeError' } });
  });

  it('tells the line of its module', async () => {
    const room = await open('export const f = (x) => {\n  return x.y.z;\n};');
    expect(room.call('f', {})).toMatchObject({ fault: { name: 'TypeError', line: 2 } });
  });

  it('has a budget for each call, and goes on after one that had too much', async () => {
    const room = await open('export const f = (n) => { for (let i = 0; i < n; i++); return n };', { steps: 20 });
    for (let i = 0; i < 20; i++) expect(room.call('f', 50_000)).toEqual({ value: 50_000 });
    expect(room.call('f', 1e9)).toMatchObject({ fault: { cause: 'time' } });
    expect(room.call('f', 5)).toEqual({ value: 5 });
  });

  it('draws from a seed, and gives its plain values', async () => {
    const room = await open(
      'export const draw = (random, n) => [random(), random.below(n), random.pick(["a", "b"])];\nexport const about = { a: 1 };',
    );
    const drawn = [1, 2, 1].map((seed) => JSON.stringify(room.draw('draw', seed, 10)));
    expect(drawn[0]).toBe(drawn[2]);
    expect(drawn[0]).not.toBe(drawn[1]);
    expect(room.value('about')).toEqual({ value: { a: 1 } });
    expect(room.value('missing')).toEqual({ value: null });
  });

  it('keeps nothing of a call', async () => {
    const room = await open(
      'let count = 0; export const f = () => { globalThis.more = [globalThis.more]; return ++count };',
    );
    for (let i = 0; i < 3; i++) expect(room.call('f')).toEqual({ value: 1 });
  });

  it('is not disturbed by others, whatever they hold', async () => {
    const source = (n: number) =>
      `const own = Array(1000).fill(${n}); export const sum = () => own.reduce((a, b) => a + b, 0);`;
    const [one, two] = [await open(source(1)), await open(source(2))];
    expect([one.call('sum'), two.call('sum'), one.call('sum')]).toEqual([1000, 2000, 1000].map((value) => ({ value })));
    await open('const all = []; try { for (;;) all.push(new Uint8Array(1e6).fill(7)); } catch {} export const a = 1;');
    expect(await run('const all = []; for (;;) all.push(new Uint8Array(1e6))')).toMatchObject({
      fault: { cause: 'memory' },
    });
    const three = await open(source(3));
    expect([one.call('sum'), two.call('sum'), three.call('sum')]).toEqual(
      [1000, 2000, 3000].map((value) => ({ value })),
    );
    expect((await openRoom('throw new Error("no")', limits)).fault?.message).toBe('no');
    expect(two.call('sum')).toEqual({ value: 2000 });
  });

  it('is refused where its text cannot be read, or never ends', async () => {
    expect(await openRoom('export const a = 1;\nexport const a = 2;', limits)).toMatchObject({
      fault: { name: 'SyntaxError', line: 2 },
    });
    expect(await openRoom('for (;;);', limits)).toMatchObject({ fault: { cause: 'time' } });
  });
});

it('an interpreter that could not be loaded is told by name, and loaded when it is asked for again', async () => {
  vi.resetModules();
  vi.doMock('@jitl/quickjs-wasmfile-release-sync', () => {
    throw new Error('offline');
  });
  const fresh = await import('./sandbox.ts');
  await expect(fresh.runProgram('1', limits)).rejects.toMatchObject({ name: 'SandboxError' });
  vi.doUnmock('@jitl/quickjs-wasmfile-release-sync');
  expect(await fresh.runProgram('1', limits)).toEqual({ value: 1 });
});
