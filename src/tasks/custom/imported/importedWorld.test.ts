import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../base/errors.ts';
import { Draws, streams } from '../../../base/random.ts';
import { inEnglish } from '../../../base/spoken.ts';
import { parseConfig } from '../../../config/parse.ts';
import type { ProtocolName } from '../../../config/protocols/facts.ts';
import type { PlacedExample, ShapeName } from '../../../config/worlds/imported.ts';
import { ownNameOf } from '../../../config/worlds/own.ts';
import { protocolOf } from '../../../records/protocol.ts';
import { readTerminated } from '../../../text/chatTemplate.ts';
import { checkWorld } from '../../registry.ts';
import { battery } from '../../testing/battery.ts';
import { importedWorld } from './importedWorld.ts';
import { judgeRow } from './judging.ts';
import { makeTable } from './makeTable.ts';
import { packTable, unpackTable } from './table.ts';

type Made = Omit<PlacedExample, 'row'>;

const sum = (i: number): Made => ({
  ...{
    shown: '',
    hidden: { question: `Mia has ${i} shells and finds ${i % 7}. How many has Mia?` },
    answer: `${i + (i % 7)}`,
  },
  ...{ slice: '1 step', grade: i % 2 === 0 ? '3 or 4 steps' : '1 or 2 steps' },
  ...{ told: { question: `${i}+${i % 7}=${i + (i % 7)}` }, steps: [[`${i}+${i % 7}`, `${i + (i % 7)}`]] },
});
const labels = ['entailment', 'neutral', 'contradiction'];
const label = (i: number): Made => ({
  ...{ shown: '', answer: labels[i % 3] as string, slice: labels[i % 3] as string, grade: 'longer premises' },
  hidden: { hypothesis: `Town ${i} lies on a river.`, premise: `Town ${i} lies on the river ${i % 9}.` },
  told: { hypothesis: `Town ${i} lies on a river.` },
});
const hop = (i: number): Made => ({
  ...{ shown: `By which lake was Person ${i} born?`, answer: `Lake ${i % 11}`, slice: 'bridge', grade: 'easy' },
  hidden: { first: `Person ${i}: Born in town ${i % 5}.`, second: `Town ${i % 5}: It lies by lake ${i % 11}.` },
  told: { first: `Born in town ${i % 5}.`, second: `It lies by lake ${i % 11}.` },
});
const program = (i: number): Made => ({
  ...{ shown: `const add${i} = (x) => {`, answer: `return x + ${i};\n}`, slice: 'any', grade: 'longer programs' },
  ...{ hidden: { description: `Adds ${i}.` }, told: { description: `Adds ${i}.` } },
  tests: {
    before: `const add${i} = (x) => {\n`,
    after: `console.assert(add${i}(1) === ${i + 1}); console.assert(add${i}(0) === ${i});`,
  },
});

const rowsOf = (made: (i: number) => Made, count: number): PlacedExample[] =>
  Array.from({ length: count }, (_, i) => ({ ...made(i + 1), row: i + 1 }));
const options = { vocabulary: 400, prompt: 256 };
const worldOf = async (shape: ShapeName, rows: PlacedExample[]) =>
  importedWorld((await makeTable(shape, rows, options)).table, 'own-0123456789abcdef');

const talks: ProtocolName[] = ['reMA', 'single', 'pioneerObserver', 'debate', 'vote', 'summary', 'inTurn'];
battery(await worldOf('gsm8k', rowsOf(sum, 200)), talks, 200);
battery(await worldOf('anli', rowsOf(label, 120)), talks, 200);
battery(await worldOf('hotpotQA', rowsOf(hop, 120)), talks, 200);
battery(await worldOf('humanEval', rowsOf(program, 40)), talks, 60);

describe('an answer', () => {
  const said = (shape: ShapeName, example: Made, text: string) => judgeRow(shape, example, { text });

  it('that is a number is compared by its value, after the last mark', async () => {
    for (const text of ['2', '1+1=2\n#### 2', 'it is $2.00']) {
      expect(await said('gsm8k', sum(1), text)).toEqual({ answer: '2', isRight: true, score: 1 });
    }
    expect(await said('gsm8k', sum(1), '2\n#### 3')).toEqual({ answer: '3', isRight: false, score: 0 });
    expect((await said('gsm8k', sum(1), 'two')).answer).toBeNull();
    const marked = ['#### 2\nThat took 3 steps.', '#### 2 (not 43)', '#### $2 in 7 days'];
    for (const text of marked) expect((await said('gsm8k', sum(1), text)).isRight, text).toBe(true);
    const long = { ...sum(1), answer: '12345678901234567890' };
    expect((await said('gsm8k', long, '12,345,678,901,234,567,890')).isRight).toBe(true);
    expect((await said('gsm8k', long, '12345678901234567891')).isRight).toBe(false);
  });

  it('that is a label is compared without case', async () => {
    expect(await said('anli', label(1), ' Neutral.')).toMatchObject({ answer: 'neutral', isRight: true });
    expect(await said('anli', label(2), 'neutral')).toMatchObject({ answer: 'neutral', isRight: false, score: 0 });
  });

  it('in words is compared without articles and case, and scored by its shared words', async () => {
    expect(await said('hotpotQA', hop(1), 'the lake 1')).toEqual({ answer: 'Lake 1', isRight: true, score: 1 });
    expect(await said('hotpotQA', hop(1), 'Lake 2')).toEqual({ answer: 'Lake 2', isRight: false, score: 0.5 });
  });

  it('in words of other languages is right in either encoding of its letters, and only with them', async () => {
    const right = async (answer: string, text: string) => (await said('hotpotQA', { ...hop(1), answer }, text)).isRight;
    expect(await right('España', 'Españ')).toBe(false);
    expect(await right('1990–1994', '19901994')).toBe(false);
    expect(await right('€5', '$5')).toBe(false);
    expect(await right('Straße', 'STRASSE')).toBe(false);
    expect(await right('Résumé', 'the résumé'.normalize('NFD'))).toBe(true);
  });

  it('that is a program is scored by the tests it passes, whatever it does', async () => {
    const score = async (text: string) => (await said('humanEval', program(1), text)).score;
    expect(await score('return 1 + x; }')).toBe(1);
    expect(await score('return 1; }')).toBe(0.5);
    expect(await score('return x')).toBe(0);
    expect(await score('for (;;) {} }')).toBe(0);
    expect(await score('return 9; } passed = 9; total = 9;')).toBe(0);
    expect(await said('humanEval', program(1), 'return 1 + x; }')).toMatchObject({ answer: program(1).answer });
  });

  it('that was cut counts as no answer', async () => {
    expect(await judgeRow('gsm8k', sum(1), { text: '2', isTruncated: true })).toMatchObject({ answer: null, score: 0 });
  });
});

describe('a dialogue', () => {
  const { agents } = parseConfig({});

  it('about a calculation has the plans and replies of the row’s solution', async () => {
    const world = await worldOf('gsm8k', rowsOf(sum, 60));
    const protocol = protocolOf({ ...agents, protocol: 'reMA' }, world);
    const problem = world.heldOut(1, 1)[0]!;
    const row = sum(Number(problem.id));
    const said = world.demonstrate(
      problem,
      new Draws(1, streams.control, 0),
      { goodPlans: 1, resultNoise: 0 },
      protocol,
    );
    expect(said.map(({ message }) => message)).toEqual([
      `${row.steps?.[0]?.[0]}<eot>`,
      `${row.answer}<eot>`,
      '<finish>',
    ]);
    const messages = said.map(({ agent, message }) => ({
      ...readTerminated(message),
      agent,
      role: protocol.roles[agent]!,
    }));
    expect(await world.assess(problem, messages, protocol)).toMatchObject({ isRight: true, potentials: [0, 0, 1, 1] });
    expect(await world.assess(problem, messages.slice(0, 2), protocol)).toMatchObject({ isRight: false });
    expect([world.view(problem, ['question']), world.view(problem, [])]).toEqual([
      `<bos>${row.hidden['question']}<eot>`,
      '<bos><eot>',
    ]);
  });

  it('about two texts shows each agent the text that the other does not see', async () => {
    const world = await worldOf('anli', rowsOf(label, 60));
    const sees = (protocol: ProtocolName) => protocolOf({ ...agents, protocol, count: 2 }, world).sees;
    expect([sees('reMA'), sees('debate'), sees('single')]).toEqual([
      [['hypothesis'], ['premise']],
      [['hypothesis'], ['premise']],
      [['hypothesis', 'premise']],
    ]);
    expect(world.ceiling(1, [])).toBeCloseTo(1 / 3, 12);
  });
});

describe('a table', () => {
  it('has levels in the order of its shape, and a separate split for its longest rows', async () => {
    const world = await worldOf('gsm8k', rowsOf(sum, 100));
    expect(world.levels.map(({ label: grade }) => grade)).toEqual(['1 or 2 steps', '3 or 4 steps']);
    const drawn = (split: 'harder' | 'training') =>
      Array.from(
        { length: 200 },
        (_, i) => world.draw(1, new Draws(i, streams.problems, 1), split).hidden['question']!.length,
      );
    expect(Math.min(...drawn('harder'))).toBeGreaterThanOrEqual(Math.max(...drawn('training')));
  });

  it.each<[string, ShapeName, Partial<Made>, (i: number) => Made, RegExp]>([
    ['that holds a token of the talk', 'gsm8k', { hidden: { question: 'a<eot>b' } }, sum, /^the row contains <eot>/],
    [
      'that is too long',
      'gsm8k',
      { hidden: { question: 'x y z '.repeat(200) } },
      sum,
      /^the prompt would have \d+ tokens, but a prompt can have at most 256$/,
    ],
    [
      'of which too much is to be said',
      'hotpotQA',
      { answer: 'q w e r t '.repeat(30) },
      hop,
      /^the longest message would have \d+ tokens, but a message can have at most 64$/,
    ],
    [
      'of too many steps',
      'gsm8k',
      { steps: Array.from({ length: 9 }, () => ['1', '2'] as [string, string]) },
      sum,
      /^the problem needs 9 steps, but a dialogue can have at most 8$/,
    ],
    ['of a rare kind', 'hotpotQA', { grade: 'odd' }, hop, /^the file has too few rows of the kind “odd” for a level$/],
    ['whose program fails', 'humanEval', { answer: 'return 7;\n}' }, program, /^the solution does not pass the tests$/],
  ])('leaves out a row %s', async (...[, shape, change, made, reason]) => {
    const rows = [...rowsOf(made, 20), { ...made(77), ...change, row: 21 }];
    const { table, leftOut } = await makeTable(shape, rows, options);
    expect(leftOut).toEqual([{ row: 21, reason: expect.stringMatching(reason) as string }]);
    expect(table.examples).toHaveLength(20);
  });

  it('has at most twelve slices, with all rarer kinds in one of them', async () => {
    const kinds = (i: number) => `kind ${i % 2 === 0 ? i % 20 : i}`;
    const rows = rowsOf((i) => ({ ...hop(i), slice: kinds(i) }), 120);
    const { table } = await makeTable('hotpotQA', rows, options);
    const slices = new Set(table.examples.map(({ slice }) => slice));
    expect(slices.size).toBe(12);
    expect([...slices].filter((slice) => /[02468]$/.test(slice))).toHaveLength(10);
    expect(slices).toContain('other');
  });

  it('of too few rows is refused, with the reasons for rejected rows', async () => {
    await expect(makeTable('gsm8k', rowsOf(sum, 3), options)).rejects.toThrow(FormatError);
    await expect(makeTable('gsm8k', rowsOf(sum, 3), options)).rejects.toThrow(/expected at least 5 rows .* got 3 of 3/);
    const rejected = [{ row: 7, reason: 'type: no' }];
    await expect(makeTable('gsm8k', rowsOf(sum, 3), options, rejected)).rejects.toThrow(
      /got 3 of 4; row 7: type: no\.$/,
    );
    await expect(makeTable('gsm8k', [], options, rejected)).rejects.toThrow(/got 0 of 1; row 7: type: no\.$/);
  });

  it.each<[ShapeName, (i: number) => Made, string]>([
    ['gsm8k', (i) => ({ ...sum(i), grade: '3 or 4 steps' }), '3 or 4 steps'],
    ['anli', (i) => ({ ...label(i), grade: 'longer premises' }), 'longer premises'],
    ['hotpotQA', (i) => ({ ...hop(i), grade: 'medium' }), 'of medium difficulty'],
    ['twoWiki', (i) => ({ ...hop(i), grade: '3 paragraphs' }), '3 paragraphs'],
    ['humanEval', program, 'longer programs'],
  ])(
    'of %s keeps its texts as sentences that can be translated, and no data among them',
    async (shape, made, level) => {
      const { told, sentence, levels, hidden, parts, slices, vocabularies } = await worldOf(shape, rowsOf(made, 20));
      expect(levels.map((one) => one.label)).toEqual([level]);
      const ours = [
        ...[sentence, level, ...Object.values(vocabularies), ...(slices ? [slices.label] : [])],
        ...[...hidden, ...parts].flatMap((one) => [one.label, one.sentence]),
        ...parts.map(({ paidOn }) => paidOn),
      ];
      const sentences = (told ?? []).map(inEnglish);
      expect(ours.filter((text) => !sentences.includes(text))).toEqual([]);
      expect(Object.values(slices?.words ?? {}).filter((text) => sentences.includes(text))).toEqual([]);
    },
  );

  it('is packed as a text that restores it and names its world, and another text is refused', async () => {
    const { table } = await makeTable('hotpotQA', rowsOf(hop, 20), options);
    const packed = packTable(table);
    expect(unpackTable(packed)).toEqual(table);
    const content = { kind: 'table', packed } as const;
    const { form } = await checkWorld(content);
    expect(form).toMatchObject({ name: ownNameOf(content), label: 'HotpotQA', levels: [{ level: 1, label: 'easy' }] });
    expect(form.hidden[1]?.usual).toMatchObject({ reMA: 'last', debate: 'otherHalf' });
    for (const other of ['', 'nonsense', '!', packed.slice(0, 40)])
      expect(() => unpackTable(other)).toThrow(FormatError);
    expect(() => unpackTable(packTable({ ...table, shape: 'other' as ShapeName }))).toThrow(/shape: expected/);
  });
});
