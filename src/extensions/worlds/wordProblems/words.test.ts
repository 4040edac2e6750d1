import { expect, it } from 'vitest';
import type { WordsWorld } from '../../../tasks/inWords/worldInWords.ts';
import { usualPrompts } from '../../../tasks/inWords/prompts.ts';
import type { Duty } from '../../../tasks/inWords/names.ts';
import { fromWords } from './words.ts';
import * as words from './words.ts';
import { withWords } from '../../../tasks/inWords/inWordsFrom.ts';
import { judgesAlike, readsAnyText } from '../../../tasks/testing/words.ts';
import { world as untold } from './world.ts';

const bare = withWords(untold, words);

const world = bare as WordsWorld;
const problem = world.read?.(
  { shown: 'How many apples does Ann have?', hidden: { story: 'Ann has seven apples. Tom gives Ann three.' } },
  1,
);
if (!problem) throw new Error('the problem is possible');
const read = (text: string, duty: Duty) => fromWords?.(problem, { role: 'reasoning', duty, text });

it('only the planner reads the story, and both agents get prompts in plain English', () => {
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

readsAnyText(bare, [problem], ['4', '12', ' + ', '*', ' = ', '=', ';', '. ', '-', ' is ']);

judgesAlike(bare, { isSame: false });
