import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Draws, streams } from '../../../base/random.ts';
import { parseConfig } from '../../../config/parse.ts';
import { protocolsFor } from '../../../config/worlds/rules.ts';
import { protocolOf } from '../../../records/protocol.ts';
import { speakerAt, worldInWords, type WordsWorld } from '../../../tasks/inWords/worldInWords.ts';
import { usualPrompts } from '../../../tasks/inWords/prompts.ts';
import type { Duty } from '../../../tasks/inWords/names.ts';
import { readTerminated } from '../../../text/chatTemplate.ts';
import { fromWords, toWords } from './words.ts';
import * as words from './words.ts';
import { withWords } from '../../../tasks/inWords/inWordsFrom.ts';
import { world as untold } from './world.ts';

const bare = withWords(untold, words);

const world = bare as WordsWorld;
const problem = world.read?.(
  { shown: 'How many apples does Ann have?', hidden: { story: 'Ann has seven apples. Tom gives Ann three.' } },
  1,
);
if (!problem) throw new Error('the problem is possible');
const read = (text: string, duty: Duty) => fromWords?.(problem, { role: 'reasoning', duty, text });

it('only the planner reads the story, and both are asked in plain English', () => {
  const chat = (duty: Duty, sees: string[], heard: string[] = []) =>
    world.inWords.chat(
      problem,
      {
        ...{ agent: 0, role: duty === 'plan' ? 'metaThinking' : 'reasoning', duty, sees },
        heard: heard.map((text) => ({ role: 'metaThinking', agent: 0, isOwn: false, text })),
      },
      { usual: [usualPrompts], chosen: {} },
    )[0]?.content;
  expect(chat('plan', ['story'])).toBe(
    'Question: How many apples does Ann have? Story: Ann has seven apples. Tom gives Ann three. Which calculation comes next? Write only this calculation, such as 4 + 3. If the last result answers the question, write [FINISH].',
  );
  expect(chat('step', [], ['7 + 3'])).toBe('The planner says: "7 + 3" Give only the result, as a number.');
  expect(chat('answer', [])).not.toContain('seven');
});

it.each<[Duty, string, string, boolean]>([
  ['plan', '7 + 3', '7+3', true],
  ['plan', '7+3', '7+3', false],
  ['plan', 'Add 3 to 7.', '7+3', false],
  ['plan', 'seven', 'seven', false],
  ['plan', '', '', false],
  ['step', '10', '10', true],
  ['step', ' 10. ', '10', false],
  ['step', '7 + 3 = 10', '10', false],
  ['step', 'ten', 'ten', false],
  ['answer', '7 + 3 = 10.', '7+3=10', true],
  ['answer', '7 * 3 = 21. 21 + 4 = 25.', '7*3=21;21+4=25', true],
  ['answer', 'First 7 plus 3 = 10, so 10 apples', '7+3=10', false],
  ['answer', 'The answer is 10', '10', false],
  ['answer', '10', '10', true],
])('as a %s, “%s” is read as “%s”', (duty, text, said, isExact) => {
  expect(read(text, duty)).toEqual({ text: said, isExact });
});

it('what demonstrations say in plain words is judged as what they say in signs', async () => {
  for (const name of protocolsFor(world).filter((one) => one !== 'own'))
    for (const { level } of world.levels) {
      const protocol = protocolOf({ ...parseConfig({}).agents, protocol: name }, world);
      const inWords = worldInWords(world, protocol);
      const options = { goodPlans: 0.5, resultNoise: 0.2, rounds: protocol.rounds };
      for (let n = 0; n < 40; n++) {
        const draws = () => new Draws(n, streams.control, level);
        const asked = world.draw(level, draws(), 'training');
        const [signs, words] = [world, inWords].map((one) =>
          one.demonstrate(asked, draws(), options, protocol).map(({ agent, message }) => ({
            ...{ agent, role: speakerAt(protocol, agent).role, ...readTerminated(message) },
            // In plain words, a word of the message ends the dialogue.
            ...(message.includes('[FINISH]') && { isFinish: true }),
          })),
        );
        const [told, meant] = [
          await inWords.assess(asked, words ?? [], protocol),
          await world.assess(asked, signs ?? [], protocol),
        ];
        expect(told.perTurn.map(({ parts }) => parts)).toEqual(meant.perTurn.map(({ parts }) => parts));
        expect([told.answer, told.isRight]).toEqual([meant.answer, meant.isRight]);
      }
    }
});

it('any text is read, and what was read stays as it is', () => {
  const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[0-9+*=;. -]{0,30}$/));
  fc.assert(
    fc.property(anyText, fc.constantFrom<Duty>('plan', 'step', 'answer'), (text, duty) => {
      const once = read(text, duty)?.text ?? '';
      const again = read(toWords?.(problem, { role: 'reasoning', duty, text: once }) ?? '', duty)?.text;
      expect(again).toBe(once.trim());
    }),
  );
});
