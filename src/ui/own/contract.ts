// The exports of a world's text and the values it is handed, as the editor offers them.
import { said } from '../../state/visitor/language.svelte.ts';
import { mostLevels } from '../../config/worlds/form.ts';

interface Offered {
  label: string;
  type: 'function' | 'property' | 'variable';
  /** Its form. */
  detail: string;
  /** Its purpose, in one sentence. */
  info: string;
}

const offered =
  (type: Offered['type']) =>
  (label: string, detail: string, info: string): Offered => ({
    label,
    type,
    detail,
    get info() {
      return said(`contract.${label}`, info);
    },
  });
const exported = offered('function');
const about = offered('property');
const given = offered('variable');

export const contract: readonly Offered[] = [
  exported(
    'about',
    '{ name, label, levels, words, room, … }',
    'The facts of the world, known before anything is drawn.',
  ),
  exported('draw', '(random, level, split) → { shown, hidden?, answer, slice?, given? }', 'One problem.'),
  exported(
    'view',
    '(problem, sees) → text',
    'The first text of an agent that sees these hidden texts; absent: these texts, then the shown one.',
  ),
  exported('open', '(problem) → { observation?, state? }', 'The world’s text before anybody speaks.'),
  exported('react', '(problem, state, message) → { observation?, state?, isOver? }', 'The effect of a message.'),
  exported('judge', '(problem, message) → { answer, score?, parts?, reason? }', 'The answer in one message.'),
  exported(
    'demonstrate',
    '(random, problem, { goodPlans, resultNoise }, protocol) → [{ agent, round?, text, isFinish? }]',
    'A dialogue to imitate.',
  ),
  exported(
    'ceiling',
    '(level, sees) → share',
    'The share right at most for somebody who hears nothing; absent: counted.',
  ),
  about('levels', '[text]', `The task of each level, in a few words; ${mostLevels} at most.`),
  about('hidden', '{ name: label }', 'Private texts of a problem.'),
  about('parts', '{ name: { sentence, weight? } }', 'Rewards beside the right answer, from 0 to 1 a turn.'),
  about('slices', '{ name: label }', 'The slices of problems whose shares right are shown.'),
  about('words', '[text]', 'All words that may be said: each is one token.'),
  about(
    'room',
    '{ prompt, turn, observation?, rounds }',
    'In words: the longest prompt, turn and observation; rounds at most.',
  ),
  about('hasHarder', 'true or false', 'The world draws for the split “harder” too.'),
  about('protocols', '[name]', 'The only ways to talk through it; absent: all whose contexts grow.'),
  given('random', '() → number in [0, 1)', 'The only source of chance: the same seed draws the same.'),
  given('random.below', '(bound) → whole number', 'A whole number from 0 to below the bound.'),
  given('random.pick', '(list) → one of it', 'One of a list.'),
  given(
    'message.role',
    "'metaThinking' | 'reasoning' | …",
    'The role of the speaker; message.agent is its number, from 0.',
  ),
  given('message.text', 'text', 'The text of the message, without its end.'),
  given(
    'problem.hidden',
    '{ name: text }',
    'The private texts; problem.shown, .answer, .level and .given are there too.',
  ),
];
