// Long memory. A text is shown piece by piece to a reader, who sees each piece once and then writes a note of a few
// words. At the next turn, the reader has only its note and the next piece, unless it recalls an earlier note. The
// answerer sees the question and the newest note, never the text. Everything that is not written down is therefore
// lost. If a later piece shows that an earlier fact is relevant, the reader must recall this fact from an earlier note.
// A single agent reads and writes in the same way, and its message after the end of the text is its answer.
import { form } from './form.ts';
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import type { Utterance } from '../../../tasks/world.ts';
import { assess as assessWithRecall } from './assessment.ts';
import { isDone, isReading, opened, readNote, readOn, reads, shownAt } from './notes.ts';
import { drawProblem, heldOutProblems, keepingCeiling } from './problems.ts';
import { memoryTokenizerJson } from './vocabulary.ts';

export { judge } from './assessment.ts';
export { demonstrate } from './demonstration.ts';
export { limits } from './levels.ts';
export { ceiling } from './problems.ts';
export { readProblem as read } from './reading.ts';

export const about = {
  ...form,
  hasHarder: true,
  random: 'shared',
} as const satisfies WorldModule['about'];
export const tokenizers = { words: memoryTokenizerJson };

export const draw: WorldModule['draw'] = (random, level, split) => drawProblem(level, random, split);
export const heldOut: WorldModule['heldOut'] = (_, level, count) => heldOutProblems(level, count);

export const view: WorldModule['view'] = ({ shown, hidden }, sees) =>
  `${sees.includes('text') ? ` ${hidden['text'] ?? ''}` : ''} ${shown}`;

/** An observation that contains a part of the text. Only the reader sees it. */
const seen = (text: string) => ({ source: 'text', text, readers: [0] });

/** The message that is assessed. If the option for recall is off, the recall words of the message are removed. */
const counted = (message: Utterance, hasRecall: boolean): Utterance =>
  hasRecall ? message : { ...message, text: readNote(message.text).text };

export const open: WorldModule['open'] = (problem) => ({
  observation: seen(shownAt(problem, opened)),
  state: opened,
});

export const react: WorldModule['react'] = (problem, state, said, { recall = true }) => {
  const message = counted(said, recall);
  const before = isReading(state) ? state : opened;
  const now = reads(message) ? readOn(before, message.text) : before;
  const isShown = reads(message) && !isDone(problem, now);
  // If the reader and the answerer are different agents, an answer must follow the last note.
  const isOver = isDone(problem, now) && message.role !== 'metaThinking';
  const observation = isShown && { observation: seen(shownAt(problem, now)) };
  return { state: now, ...observation, ...(isOver && { isOver }) };
};

export const assess: WorldModule['assess'] = (problem, messages, protocol, ...[isOver, { recall = true }]) =>
  assessWithRecall(
    problem,
    messages.map((message) => counted(message, recall)),
    protocol,
    isOver,
  );

export const most: WorldModule['most'] = (level, split, { recall = true }) =>
  recall ? 1 : keepingCeiling(level, split);
