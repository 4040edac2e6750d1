// The world in plain words, for agents that are language models: their prompts, and how their messages are read. Facts
// are sentences such as “Ann is in the hall.”, and a reader recalls an earlier note with “Recall: Ann.”.
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import type { PromptTexts } from '../../../tasks/inWords/names.ts';
import { readNote } from './notes.ts';
import { dishes, nothing, persons, rooms, signs, things, unknown } from './vocabulary.ts';

const note =
  'Write a new note: copy the sentence that helps most to answer the question, or write Nothing. To see an old note again, add a name at the end, such as Recall: Zoe.';

/** The maximum number of tokens of a turn: room for one fact and the words that recall a note. */
export const chatWindow = 18;
/** The maximum number of tokens of an observation. */
export const chatObservation = 80;

export const prompts = {
  start: 'Question: {question}',
  'hidden.text': 'Text: {text}',
  'heard.metaThinking': 'The note says: "{message}"',
  observed: '{message}',
  'ask.plan': note,
  'ask.alone': `${note} If the text has ended, write only one word instead: the room, or unknown.`,
  'ask.step': 'Answer with one word: the room, or unknown.',
} as const satisfies PromptTexts;

const factsOnly = /^(?: [A-Za-z]+ (?:in|has|likes) [a-z]+\.)+$/;
const isThing = (word: string) => things.some((thing) => thing === word);

/** Writes each fact of a text as a sentence: ` Ann in hall.` becomes `Ann is in the hall.`. */
const inSentences = (text: string): string =>
  text
    .replaceAll(/ ([A-Za-z]+) (in|has|likes) ([a-z]+)\./g, (_, who: string, verb: string, what: string) => {
      const subject = isThing(who) ? `The ${who}` : who;
      return verb === 'likes'
        ? ` ${subject} likes ${what}.`
        : ` ${subject} ${verb === 'in' ? 'is in' : verb} the ${what}.`;
    })
    .trim();

/** Writes a note, an answer or a recalled note in plain words. Other texts stay unchanged. */
function inWords(text: string): string {
  const { text: known, recall } = readNote(text);
  const isFacts = factsOnly.test(known);
  const isNote = isFacts || known === nothing || known === '';
  if (!isNote || (recall !== null && !/^(?: [A-Za-z]+)+$/.test(recall))) return text.trim();
  const said = isFacts ? inSentences(known) : known === nothing ? 'Nothing.' : '';
  return `${said}${recall === null ? '' : ` Recall:${recall}.`}`.trim();
}

const anyOf = (...lists: (readonly string[])[]) => `(${lists.flat().join('|')})`;
const fact = new RegExp(
  String.raw`\b${anyOf(persons, things)}\s+(?:(?:is\s+|was\s+|are\s+)?(in)|(has|had|owns|holds)|(likes))\s+(?:the\s+|an?\s+)?${anyOf(rooms, things, dishes)}\b`,
  'gi',
);
const room = new RegExp(String.raw`\b${anyOf(rooms)}\b`, 'gi');
const recalled = /<?\brecall\b>?:?([^.!?\n]*)[.!?]?/i;
const doubt = /\b(?:unknown|not known|(?:do not|don['’]t|cannot|can['’]t) (?:know|tell|say))\b/i;
/** Words of a recall that do not help to find a note. */
const fillers = ['the', 'a', 'an', 'my', 'old', 'note', 'notes', 'about', 'of', 'with', 'where', 'is'];

const named = (word: string) => persons.find((person) => person.toLowerCase() === word.toLowerCase()) ?? word;

/** The words after “recall”, each after a space; an empty text if there are none. */
function wordsToRecall(text: string): string {
  const words = (text.match(/[A-Za-z]+/g) ?? []).map(named);
  const telling = words.filter((word) => !fillers.includes(word.toLowerCase()));
  return (telling.length > 0 ? telling : words).map((word) => ` ${word}`).join('');
}

/** The note in a message: its facts, or the word for “nothing”, and the words for recall; null if there is none. */
function noteIn(said: string): string | null {
  const [call = '', query = ''] = recalled.exec(said) ?? [];
  const words = wordsToRecall(query);
  const rest = words === '' ? said : said.replace(call, '\n');
  const facts = [...rest.matchAll(fact)].map(
    ([, who = '', isIn, hasIt, , what = '']) =>
      ` ${isThing(who.toLowerCase()) ? who.toLowerCase() : named(who)} ${isIn ? 'in' : hasIt ? 'has' : 'likes'} ${what.toLowerCase()}.`,
  );
  const known = facts.length === 0 && /^\W*(?:nothing|none)\b/i.test(rest) ? nothing : facts.join('');
  if (words === '') return known === '' ? null : known;
  return `${known}${signs.recall}${words}`;
}

/** The room that a message names last, or the word for “unknown”; null if the message contains neither. */
function answerIn(said: string): string | null {
  const found = said.match(room)?.at(-1)?.toLowerCase();
  if (found !== undefined) return ` ${found}`;
  return doubt.test(said) ? unknown : null;
}

/** Reads the message of a single agent, which is a note or, after the end of the text, the answer. */
const noteOrAnswerIn = (said: string): string | null =>
  /\banswer\b/i.test(said) ? (answerIn(said) ?? noteIn(said)) : (noteIn(said) ?? answerIn(said));

export const fromWords: WorldModule['fromWords'] = (_, { duty, text }) => {
  const said = text.trim();
  const read = duty === 'plan' ? noteIn(said) : duty === 'alone' ? noteOrAnswerIn(said) : answerIn(said);
  return read === null ? { text: said, isExact: false } : { text: read, isExact: said === inWords(read) };
};

/** Only readers write notes. */
export const toWords: WorldModule['toWords'] = (_, { duty, text }) => (duty === 'step' ? text.trim() : inWords(text));

/** The next piece of the text, or the statement that the text has ended, after the recalled note if there is one. */
export const observedInWords: WorldModule['observedInWords'] = (_, text) => {
  const [, back = '', mark, piece = ''] = /^(?:<recall>(.*))?(<text>|<end>)(.*)$/s.exec(text) ?? [];
  if (mark === undefined) return text.trim();
  const note = back === '' ? '' : `Your old note: ${inWords(back).replace(/(?<![.!?])$/, '.')} `;
  return `${note}${mark === signs.end ? 'The text has ended.' : `Text: ${inSentences(piece)}`}`;
};

/** The question and, for an agent that sees it, the text, as English sentences. */
export const facts: WorldModule['facts'] = ({ shown, hidden }, sees) => ({
  question: shown.replace(/ is (?=[a-z])/, ' is the '),
  ...(sees.includes('text') && { text: inSentences(` ${hidden['text'] ?? ''}`) }),
});
