// Dialogues to imitate. The agent that sees the secret says it in a short sentence, and the other answers with the
// colour that it heard.
import { colours } from './form.ts';
import { readTerminated, terminated } from '../../../text/chatTemplate.ts';
import { demonstrateAnswers, type Answerer } from '../../../tasks/answers/demonstratedAnswers.ts';
import type { World } from '../../../tasks/world.ts';
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

export const demonstrate: World['demonstrate'] = (problem, draws, options, protocol) =>
  demonstrateAnswers(answerer, problem, draws, options, protocol).map((said) => {
    if (said.agent !== protocol.answerFrom) return said;
    const text = ` ${coloursIn(said.message)[0] ?? ''}`;
    return { ...said, message: terminated({ ...readTerminated(said.message), text }) };
  });
