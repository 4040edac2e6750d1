// Dialogues to imitate: who sees the secret says it in a short sentence, who does not answers with the colour that was heard.
import { colours } from '../../config/worlds/passItOn.ts';
import { readTerminated, terminated } from '../../text/chatTemplate.ts';
import { demonstrateAnswers } from '../answers/demonstratedAnswers.ts';
import { dialogueOf } from '../steps/steps.ts';
import type { World } from '../world.ts';
import { coloursIn, judge } from './assessment.ts';
import { givenOf, statement } from './problems.ts';

/** What is said of the thing by somebody who sees the secret and heeds it, and by anybody else. */
const sentenceOf: Parameters<typeof demonstrateAnswers>[0] = {
  judge,
  solve: (problem, draws, { isGood, resultNoise }) => {
    const { thing, colour } = givenOf(problem);
    const isRight = isGood && draws.next() >= resultNoise;
    return ` ${statement({ thing, colour: isRight ? colour : draws.pick(colours) })}`;
  },
};

const colourOf = (text: string) => ` ${coloursIn(text)[0] ?? ''}`;

export const demonstrate: World['demonstrate'] = (problem, draws, options, protocol) => {
  if (protocol.hasSteps) {
    const plan = sentenceOf.solve(problem, draws, { isGood: draws.next() < options.goodPlans, ...options, sees: [] });
    const reply = draws.next() < options.resultNoise ? ` ${draws.pick(colours)}` : colourOf(plan);
    return dialogueOf([{ plan, reply }], options);
  }
  return demonstrateAnswers(sentenceOf, problem, draws, options, protocol).map((said) => {
    if ((protocol.sees[said.agent] ?? []).length > 0) return said;
    return { ...said, message: terminated({ ...readTerminated(said.message), text: colourOf(said.message) }) };
  });
};
