// Long memory. A text is shown piece by piece to a reader, who sees each piece once and writes a note of a few words.
// At the next turn, the reader has only its note and the next piece, unless it recalls an earlier note. The answerer
// sees the question and the newest note, never the text. So everything that is not written down is lost. A fact that
// only later proves relevant must be recalled from a note that has been overwritten since. A single agent reads and
// writes in the same way, and its message after the end of the text is its answer.
import { form } from './form.ts';
import { promptText } from '../../../text/chatTemplate.ts';
import type { Utterance, World } from '../../../tasks/world.ts';
import { assess, judge } from './assessment.ts';
import { demonstrate } from './demonstration.ts';
import { limits } from './levels.ts';
import { isDone, isReading, opened, readNote, readOn, reads, shownAt } from './notes.ts';
import { ceiling, drawProblem, heldOutProblems, keepingCeiling } from './problems.ts';
import { readProblem } from './reading.ts';
import { memoryTokenizerJson } from './vocabulary.ts';

const withRecall = {
  ...form,
  tokenizers: { words: memoryTokenizerJson },
  splits: ['training', 'heldOut', 'harder'],
  draw: (level, draws, split) => drawProblem(level, draws, split),
  heldOut: heldOutProblems,
  ceiling,
  read: readProblem,
  view: ({ shown, hidden }, sees) => promptText(sees.includes('text') ? ` ${hidden['text'] ?? ''}` : null, ` ${shown}`),
  limits,
  demonstrate,
  judge: (...given) => Promise.resolve(judge(...given)),
  open: (problem) => Promise.resolve({ observation: seen(shownAt(problem, opened)), state: opened }),
  react: (problem, state, message) => {
    const before = isReading(state) ? state : opened;
    const now = reads(message) ? readOn(before, message.text) : before;
    const isShown = reads(message) && !isDone(problem, now);
    // If a separate reader has written its last note, an answer must still follow.
    const isOver = isDone(problem, now) && message.role !== 'metaThinking';
    const observation = isShown && { observation: seen(shownAt(problem, now)) };
    return Promise.resolve({ state: now, ...observation, ...(isOver && { isOver }) });
  },
  assess: (...given) => Promise.resolve(assess(...given)),
} satisfies World;

/** A version of this world in which recall has no effect. */
const withoutRecall: World = {
  ...withRecall,
  most: keepingCeiling,
  react: (problem, state, message) => withRecall.react(problem, state, uncalled(message)),
  assess: (problem, messages, ...how) => withRecall.assess(problem, messages.map(uncalled), ...how),
};

export const world: World = { ...withRecall, under: ({ recall }) => (recall === false ? withoutRecall : world) };

const uncalled = (message: Utterance): Utterance => ({ ...message, text: readNote(message.text).text });

/** The part of the text that only the reader reads. */
const seen = (text: string) => ({ source: 'text', text, readers: [0] });
