// Dialogues to imitate. The agent that sees the secret lists the runners in their order, and the other agent repeats the
// names of this list.
import { demonstrateAnswers, type Answerer } from '../../../tasks/answers/demonstratedAnswers.ts';
import type { Demonstrate } from '../../../tasks/contract/worldModule.ts';
import { judge, runnersIn } from './assessment.ts';
import { givenOf, statement } from './problems.ts';

const answerer: Answerer = {
  judge,
  solve: (problem, draws, { isGood, resultNoise }) => {
    const { arrived } = givenOf(problem);
    const isRight = isGood && draws.next() >= resultNoise;
    return ` ${statement(isRight ? arrived : draws.shuffle([...arrived]))}`;
  },
};

export const demonstrate: Demonstrate = (draws, problem, options, protocol) =>
  demonstrateAnswers(answerer, draws, problem, options, protocol).map((said) =>
    said.agent === protocol.answerFrom ? { ...said, text: ` ${runnersIn(said.text).join(' ')}` } : said,
  );
