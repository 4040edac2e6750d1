// Dialogues to imitate. The agent that sees the secret says it in a short sentence, and the other agent answers with
// the colour in this sentence.
import { colours } from './form.ts';
import { demonstrateAnswers, type Answerer } from '../../../tasks/answers/demonstratedAnswers.ts';
import type { Demonstrate } from '../../../tasks/contract/worldModule.ts';
import { coloursIn, judge } from './assessment.ts';
import { givenOf, statement } from './problems.ts';

const answerer: Answerer = {
  judge,
  solve: (problem, draws, { isGood, resultNoise }) => {
    const { thing, colour } = givenOf(problem);
    const isRight = isGood && draws.next() >= resultNoise;
    return ` ${statement({ thing, colour: isRight ? colour : draws.pick(colours) })}`;
  },
};

export const demonstrate: Demonstrate = (draws, problem, options, protocol) =>
  demonstrateAnswers(answerer, draws, problem, options, protocol).map((said) =>
    said.agent === protocol.answerFrom ? { ...said, text: ` ${coloursIn(said.text)[0] ?? ''}` } : said,
  );
