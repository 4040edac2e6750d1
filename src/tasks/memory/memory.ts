// Long memory. A text is shown piece by piece to a reader, who sees each once and writes a note of a few words; its note and
// the next piece are all that it has at the next turn, unless it calls an earlier note back. Who answers sees the question
// and the newest note, never the text. So what is not written down is lost, and a fact whose worth shows only later must
// be called back from a note that has been overwritten since.
import { memory as form } from '../../config/worlds/memory.ts';
import { promptText } from '../../text/chatTemplate.ts';
import type { World } from '../world.ts';
import { assess, judge } from './assessment.ts';
import { demonstrate } from './demonstration.ts';
import { limits } from './levels.ts';
import { isDone, isReading, opened, readOn, shownAt } from './notes.ts';
import { ceiling, drawProblem, heldOutProblems } from './problems.ts';
import { memoryTokenizerJson } from './vocabulary.ts';

export const memory: World = {
  ...form,
  tokenizers: { words: memoryTokenizerJson },
  splits: ['training', 'heldOut', 'harder'],
  draw: (level, draws, split) => drawProblem(level, draws, split),
  heldOut: heldOutProblems,
  ceiling,
  view: ({ shown, hidden }, sees) => promptText(sees.includes('text') ? ` ${hidden['text'] ?? ''}` : null, ` ${shown}`),
  limits,
  demonstrate,
  judge: (...given) => Promise.resolve(judge(...given)),
  open: (problem) => Promise.resolve({ observation: seen(shownAt(problem, opened)), state: opened }),
  react: (problem, state, { role, text }) => {
    const before = isReading(state) ? state : opened;
    if (role !== 'metaThinking')
      return Promise.resolve({ state: before, ...(isDone(problem, before) && { isOver: true }) });
    const now = readOn(before, text);
    return Promise.resolve({ state: now, ...(!isDone(problem, now) && { observation: seen(shownAt(problem, now)) }) });
  },
  assess: (...given) => Promise.resolve(assess(...given)),
};

/** What only the reader reads. */
const seen = (text: string) => ({ source: 'text', text, readers: [0] });
