import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../../../base/random.ts';
import { parseConfig } from '../../../config/parse.ts';
import type { ProtocolName } from '../../../config/protocols/facts.ts';
import { kinFacts } from '../../../config/protocols/registry.ts';
import { shapeNames, type PlacedExample, type ShapeName } from '../../../config/worlds/imported.ts';
import { protocolsFor } from '../../../config/worlds/rules.ts';
import type { Problem } from '../../../records/problem.ts';
import { readTerminated } from '../../../text/chatTemplate.ts';
import { dutyOf, usualPrompts } from '../../inWords/prompts.ts';
import type { Duty } from '../../inWords/names.ts';
import { inProtocol } from '../../testing/trajectories.ts';
import type { HeardInWords, InWords, Utterance, World } from '../../world.ts';
import { importedWorld } from './importedWorld.ts';
import { makeTable } from './makeTable.ts';
import { wordsFor } from './words.ts';

type Made = Omit<PlacedExample, 'row' | 'grade'>;

const labels = ['entailment', 'neutral', 'contradiction'] as const;
const hop = (i: number): Made => ({
  ...{ shown: `By which lake was Person ${i} born?`, answer: `Lake ${i % 11}`, slice: 'bridge' },
  hidden: { first: `Person ${i}: Born in town ${i % 5}.`, second: `Town ${i % 5}: It lies by lake ${i % 11}.` },
  told: { first: `Born in town ${i % 5}.`, second: `It lies by lake ${i % 11}.` },
});
/** Row number `i` of each shape. */
const rows: Readonly<Record<ShapeName, (i: number) => Made>> = {
  gsm8k: (i) => ({
    ...{ shown: '', hidden: { question: `Mia has ${i} shells and finds 3. How many has Mia?` }, slice: '1 step' },
    ...{ answer: `${i + 3}`, told: { question: `${i}+3=${i + 3}` }, steps: [[`${i}+3`, `${i + 3}`]] },
  }),
  anli: (i) => ({
    ...{ shown: '', answer: labels[i % 3] ?? '', slice: labels[i % 3] ?? '' },
    hidden: { hypothesis: `Town ${i} lies on a river.`, premise: `Town ${i} lies on the river ${i % 9}.` },
    told: { hypothesis: `Town ${i} lies on a river.` },
  }),
  hotpotQA: hop,
  twoWiki: hop,
  humanEval: (i) => ({
    ...{ shown: `const add${i} = (x) => {`, answer: `return x + ${i};\n}`, slice: 'any' },
    ...{ hidden: { description: `Adds ${i}.` }, told: { description: `Adds ${i}.` } },
    tests: { before: `const add${i} = (x) => {\n`, after: `console.assert(add${i}(1) === ${i + 1});` },
  }),
};

async function worldOf(shape: ShapeName): Promise<World> {
  const all = Array.from({ length: 40 }, (_, i) => ({ ...rows[shape](i + 1), grade: 'any', row: i + 1 }));
  const { table } = await makeTable(shape, all, { vocabulary: 400, prompt: 256 });
  return importedWorld(table, 'own-0123456789abcdef');
}
const worlds = new Map(await Promise.all(shapeNames.map(async (shape) => [shape, await worldOf(shape)] as const)));
const worldAt = (shape: ShapeName) => worlds.get(shape) as World;
const wordsOf = (shape: ShapeName) => worldAt(shape).inWords as InWords;
const problemOf = (shape: ShapeName, i = 1): Problem => {
  const { shown, hidden, answer, slice } = rows[shape](i);
  return { ...{ id: `${i}`, world: 'own-0123456789abcdef', level: 1, shown, hidden, answer, slice }, given: null };
};

interface Asked {
  heard?: readonly HeardInWords[];
  about?: Problem;
}

function chatOf(
  shape: ShapeName,
  name: ProtocolName,
  agent: number,
  { heard = [], about = problemOf(shape) }: Asked = {},
) {
  const protocol = inProtocol(worldAt(shape), name);
  const { prompts = {} } = kinFacts({ ...parseConfig({}).agents, protocol: name });
  const role = protocol.roles[agent] ?? 'reasoning';
  const speaker = { agent, role, duty: dutyOf(protocol, agent), sees: protocol.sees[agent] ?? [], heard };
  return wordsOf(shape).chat(about, speaker, { usual: [prompts, usualPrompts], chosen: {} });
}
const lastOf = (...asked: Parameters<typeof chatOf>) => chatOf(...asked).at(-1)?.content;
const plan = (text: string): HeardInWords => ({ role: 'metaThinking', agent: 0, isOwn: false, text });
const answer = (text: string, isOwn = false): HeardInWords => ({ role: 'debater', agent: 1, isOwn, text });

describe('the chat', () => {
  it('about a calculation shows each agent its text and its task', () => {
    expect(lastOf('gsm8k', 'reMA', 0)).toBe(
      'Problem: Mia has 1 shells and finds 3. How many has Mia? Write only the next calculation, such as 4 + 3. If the last result answers the problem, write [FINISH].',
    );
    expect(lastOf('gsm8k', 'reMA', 1, { heard: [plan('1 + 3')] })).toBe(
      'The planner says: "1 + 3" Give only the result, as a number.',
    );
    expect(lastOf('gsm8k', 'single', 0)).toBe(
      'Problem: Mia has 1 shells and finds 3. How many has Mia? Write the calculations that you know. Then write "Answer:" and the number.',
    );
  });

  it('about a claim shows each agent its text and its task', () => {
    const label =
      'one word: entailment if the claim follows from the facts, contradiction if the facts show that it is false, neutral if nobody can know.';
    expect(lastOf('anli', 'reMA', 0)).toBe(
      'Claim: Town 1 lies on a river. Tell the reasoner the claim. If the reasoner has answered, write [FINISH].',
    );
    expect(lastOf('anli', 'reMA', 1, { heard: [plan('Town 1 lies on a river.')] })).toBe(
      `Facts: Town 1 lies on the river 1. The planner says: "Town 1 lies on a river." Answer with ${label}`,
    );
    expect(lastOf('anli', 'debate', 0)).toBe(
      `Claim: Town 1 lies on a river. If you see a claim, repeat it. Then write "Answer:" and ${label}`,
    );
  });

  it('about paragraphs shows each agent its text and its task, also in a later round', () => {
    const first =
      'Question: By which lake was Person 1 born? Text: Person 1: Born in town 1. Write a sentence of the text that helps, if you see one. Then write "Answer:" and the answer in a few words.';
    const later = [answer('Answer: Lake 2', true), answer('Answer: Lake 1')];
    expect(chatOf('hotpotQA', 'debate', 0, { heard: later }).slice(1)).toEqual([
      { role: 'user', content: first },
      { role: 'assistant', content: 'Answer: Lake 2' },
      {
        role: 'user',
        content:
          'The other debater says: "Answer: Lake 1" Consider what the others say. Then answer again in the same form.',
      },
    ]);
    expect(lastOf('twoWiki', 'reMA', 1, { heard: [plan('Born in town 1.')] })).toBe(
      'Question: By which lake was Person 1 born? Text: Town 1: It lies by lake 1. The planner says: "Born in town 1." Answer the question in a few words.',
    );
  });

  it('about a program shows each agent its text and its task', () => {
    expect(lastOf('humanEval', 'reMA', 1, { heard: [plan('Adds 1.')] })).toBe(
      'This is the beginning of a JavaScript function:\nconst add1 = (x) => {\nThe planner says: "Adds 1." Write only the rest of the function.',
    );
    expect(lastOf('humanEval', 'single', 0)).toBe(
      'This is the beginning of a JavaScript function:\nconst add1 = (x) => {\nTask of the function: Adds 1. If you know what the function does, write it in one sentence. Then write "Answer:" and the rest of the function.',
    );
  });

  it('does not depend on hidden texts that an agent does not see, and never on the answer', () => {
    for (const shape of shapeNames)
      for (const name of protocolsFor(worldAt(shape)))
        for (const [agent, sees] of inProtocol(worldAt(shape), name).sees.entries()) {
          const [one, other] = [problemOf(shape), problemOf(shape, 2)];
          const hidden = Object.fromEntries(sees.map((text) => [text, one.hidden[text] ?? '']));
          const changed = { ...other, shown: one.shown, hidden: { ...other.hidden, ...hidden } };
          expect(chatOf(shape, name, agent, { about: changed })).toEqual(chatOf(shape, name, agent));
        }
  });
});

const said = (duty: Duty, text: string) => ({ role: 'reasoning', agent: 0, duty, text }) as const;

describe('a message', () => {
  it.each<[ShapeName, Duty, string, string, boolean]>([
    ['gsm8k', 'plan', '4 + 3', '4+3', true],
    ['gsm8k', 'plan', 'Add 4 and 3 .', 'Add 4 and 3 .', true],
    ['gsm8k', 'step', '7', '7', true],
    ['gsm8k', 'step', '4 + 3 = 7 shells.', '7', false],
    ['gsm8k', 'step', 'seven', 'seven', false],
    ['gsm8k', 'answer', 'Answer: 7', '7', true],
    ['gsm8k', 'answer', '4+3=7\nAnswer: 7', '4+3=7\n#### 7', true],
    ['gsm8k', 'answer', '7', '7', false],
    ['gsm8k', 'answer', 'Answer: $1,200 in 3 days', '1200', false],
    ['gsm8k', 'answer', 'So the answer is 7, not 8.', '7', false],
    ['gsm8k', 'answer', 'It is 7.', 'It is 7.\n#### 7', false],
    ['gsm8k', 'answer', '4+3=7\n#### 7', '4+3=7\n#### 7', false],
    ['gsm8k', 'answer', 'Answer:', 'Answer:', false],
    ['gsm8k', 'answer', '', '', false],
    ['anli', 'step', 'neutral', 'neutral', true],
    ['anli', 'step', 'Yes.', 'entailment', false],
    ['anli', 'step', 'It is not entailed, it is contradicted.', 'contradiction', false],
    ['anli', 'step', 'I like rivers.', 'I like rivers.', false],
    ['anli', 'answer', 'A town lies there.\nAnswer: neutral', 'A town lies there.\n#### neutral', true],
    ['anli', 'answer', 'A town lies there. Answer: Unknown', 'A town lies there.\n#### neutral', false],
    ['hotpotQA', 'step', 'Lake 1', 'Lake 1', true],
    ['hotpotQA', 'step', 'The answer is Lake 1', 'Lake 1', false],
    ['hotpotQA', 'step', 'The Answer Is Yes', 'The Answer Is Yes', true],
    ['hotpotQA', 'answer', 'Born here.\nAnswer: Lake 1', 'Born here.\n#### Lake 1', true],
    ['hotpotQA', 'answer', 'Born here.\nLake 1', 'Born here.\n#### Lake 1', false],
    ['hotpotQA', 'answer', 'Answer: Lake 1\nThat is all.', 'Lake 1', false],
    ['hotpotQA', 'answer', '####', '####', false],
    ['humanEval', 'step', 'return x + 1;\n}', 'return x + 1;\n}', true],
    ['humanEval', 'step', '```js\nconst add1 = (x) => {\n  return 1;\n}\n```', 'return 1;\n}', false],
    ['humanEval', 'answer', 'Adds 1.\nAnswer: return x;\n}', 'Adds 1.\n#### return x;\n}', true],
    ['humanEval', 'answer', 'return { answer: 3 };', 'return { answer: 3 };', false],
  ])('%s, %s: “%s” is read as “%s”', (...[shape, duty, text, own, isExact]) => {
    expect(wordsOf(shape).fromWords(problemOf(shape), said(duty, text))).toEqual({ text: own, isExact });
  });

  it('may be any text, and writing the read text gives the same text when it is read again', () => {
    const words = fc.constantFrom(
      'Answer:',
      '####',
      'the answer is',
      '\n',
      'neutral',
      'no',
      '7',
      '+',
      '1,2',
      '```',
      'Lake',
      'const add1 = (x) => {',
      '\r',
    );
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(words, { maxLength: 8 }).map((all) => all.join(' ')),
      fc.array(words, { maxLength: 8 }).map((all) => all.join('')),
    );
    const duty = fc.constantFrom<Duty>('plan', 'step', 'alone', 'answer', 'tell');
    fc.assert(
      fc.property(fc.constantFrom(...shapeNames), duty, text, (shape, duty, any) => {
        const { fromWords, toWords } = wordsFor(shape);
        const read = (words: string) => fromWords(problemOf(shape), said(duty, words)).text;
        const own = read(any);
        expect(read(toWords(problemOf(shape), said(duty, own)))).toBe(own);
      }),
      { numRuns: 600 },
    );
  });
});

it.each(shapeNames)(
  'a demonstration of %s is worth the same after it was written in words and read again',
  async (shape) => {
    const world = worldAt(shape);
    const draws = new Draws(1, streams.problems, 0);
    for (const name of protocolsFor(world))
      for (let i = 0; i < (shape === 'humanEval' ? 3 : 20); i++) {
        const protocol = inProtocol(world, name);
        const asked = world.draw(1, draws, 'training');
        const shown = world.demonstrate(asked, draws, { goodPlans: 0.6, resultNoise: 0.2, rounds: 2 }, protocol);
        const own = shown.map(({ agent, message }): Utterance => {
          const role = protocol.roles[agent] ?? 'reasoning';
          return { ...readTerminated(message), agent, role };
        });
        const again = own.map((message): Utterance => {
          const told = { ...message, duty: dutyOf(protocol, message.agent ?? 0) };
          const found = wordsOf(shape).fromWords(asked, { ...told, text: wordsOf(shape).toWords(asked, told) });
          expect(found.isExact, message.text).toBe(true);
          return { ...message, text: found.text };
        });
        expect(await world.assess(asked, again, protocol)).toEqual(await world.assess(asked, own, protocol));
      }
  },
);
