// Dialogues to imitate. The agent that sees the secret says it in short sentences, and the other agent answers with the
// colours in these sentences.
import { colours } from './form.ts';
import { demonstrateAnswers, type Answerer } from '../../../tasks/answers/demonstratedAnswers.ts';
import type { Demonstrate } from '../../../tasks/contract/worldModule.ts';
import { coloursIn, judge } from './assessment.ts';
import { askedIn, statement } from './problems.ts';

const answerer: Answerer = {
  judge,
  solve: (problem, draws, { isGood, resultNoise }) => {
    const isRight = isGood && draws.next() >= resultNoise;
    const told = askedIn(problem).map(({ thing, colour }) => ({
      thing,
      colour: isRight ? colour : draws.pick(colours),
    }));
    return ` ${told.map(statement).join('. ')}`;
  },
};

export const demonstrate: Demonstrate = (draws, problem, options, protocol) =>
  demonstrateAnswers(answerer, draws, problem, options, protocol).map((said) =>
    said.agent === protocol.answerFrom ? { ...said, text: ` ${coloursIn(said.text).join(' ')}` } : said,
  );
