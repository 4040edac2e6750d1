// The names that the editor suggests in the text of a world: the exports of a world, and the values that are passed to
// these exports.
import { msg } from '../../base/spoken.ts';
import { say } from '../../state/visitor/language.svelte.ts';
import { mostLevels } from '../../config/worlds/form.ts';

interface Offered {
  label: string;
  type: 'function' | 'property' | 'variable';
  /** The way in which the name is used, for example its parameters. */
  detail: string;
  /** The purpose of the name, in one sentence. */
  info: string;
}

const offered =
  (type: Offered['type']) =>
  (label: string, detail: string, info: string): Offered => ({
    label,
    type,
    detail,
    get info() {
      return say(info, { most: mostLevels });
    },
  });
const exported = offered('function');
const about = offered('property');
const given = offered('variable');

export const contract: readonly Offered[] = [
  exported(
    'about',
    '{ name, label, levels, words, room, … }',
    msg('Properties of the world that are known before any problem is drawn.'),
  ),
  exported('draw', '(random, level, split) → { shown, hidden?, answer, slice?, given? }', msg('One problem.')),
  exported(
    'view',
    '(problem, sees) → text',
    msg(
      'The text with which the context of an agent begins; “sees” lists the hidden texts that this agent sees. Without this function, the context begins with these hidden texts, followed by the shown text.',
    ),
  ),
  exported(
    'open',
    '(problem) → { observation?, state? }',
    msg('The text that the world shows before the first message.'),
  ),
  exported('react', '(problem, state, message) → { observation?, state?, isOver? }', msg('The effect of a message.')),
  exported(
    'judge',
    '(problem, message) → { answer, score?, parts?, reason? }',
    msg('The answer that a message contains.'),
  ),
  exported(
    'demonstrate',
    '(random, problem, { goodPlans, resultNoise }, protocol) → [{ agent, round?, text, isFinish? }]',
    msg('A dialogue to imitate.'),
  ),
  exported(
    'ceiling',
    '(level, sees) → share',
    msg(
      'The highest possible accuracy of an agent that hears no other agent. If this function is missing, this accuracy is estimated from sample problems.',
    ),
  ),
  about('levels', '[text]', msg('The task of each level, in a few words; at most {most} levels.')),
  about('hidden', '{ name: label }', msg('The texts of a problem that only some agents see.')),
  about(
    'parts',
    '{ name: { sentence, weight? } }',
    msg('Reward components besides the right answer; each component is between 0 and 1 per turn.'),
  ),
  about('slices', '{ name: label }', msg('The kinds of problems for which accuracy is shown separately.')),
  about('words', '[text]', msg('All words that may be used in messages; each word is one token.')),
  about(
    'room',
    '{ prompt, turn, observation?, rounds }',
    msg('The largest number of words in a prompt, a turn and an observation, and the largest number of rounds.'),
  ),
  about('hasHarder', 'true or false', msg('Whether the world can also draw problems for the split “harder”.')),
  about(
    'protocols',
    '[name]',
    msg(
      'The only protocols that the world supports. If this list is missing, the world supports all protocols except those that begin a new context at each turn.',
    ),
  ),
  given(
    'random',
    '() → number in [0, 1)',
    msg('The only source of random numbers that a world may use: the same seed gives the same draws.'),
  ),
  given('random.below', '(bound) → whole number', msg('A random integer that is at least 0 and less than the bound.')),
  given('random.pick', '(list) → one of it', msg('One of a list.')),
  given(
    'message.role',
    "'metaThinking' | 'reasoning' | …",
    msg('The role of the speaker; message.agent is the number of the speaker, counted from 0.'),
  ),
  given('message.text', 'text', msg('The text of the message, without its end token.')),
  given(
    'problem.hidden',
    '{ name: text }',
    msg(
      'The hidden texts of the problem, by name. The fields problem.shown, .answer, .level and .given are also available.',
    ),
  ),
];
