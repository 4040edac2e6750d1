// Dialogues to imitate. The agent that sees the secret says which animals there are, and the other agent answers with the
// number of legs of the animals in this sentence.
import type { RandomNumbers } from '../../../base/random.ts';
import type { Problem } from '../../../records/problem.ts';
import type { Demonstrate } from '../../../tasks/contract/worldModule.ts';
import { animals, answersAt, legsOf, type Animal, type LegsLevel, type LegsCount } from './form.ts';
import { givenOf, statement } from './problems.ts';

function toldAnimals(problem: Problem, draws: RandomNumbers, isGood: boolean): readonly Animal[] {
  const given = givenOf(problem).animals;
  if (isGood) return given;
  const one = draws.pick(animals);
  return given.length === 1 ? [one] : [one, draws.pick(animals.filter((other) => other !== one))];
}

export const demonstrate: Demonstrate = (
  draws,
  problem,
  { goodPlans, resultNoise, rounds = 1 },
  { round, answerFrom },
) => {
  const told = toldAnimals(problem, draws, draws.next() < goodPlans);
  const answers = answersAt[problem.level as LegsLevel];
  const right = told.reduce<number>((sum, animal) => sum + legsOf[animal], 0);
  const answer = draws.next() < resultNoise ? draws.pick<LegsCount>(answers) : `${right}`;
  return Array.from({ length: rounds }, (_, at) =>
    round.flat().map((agent) => ({
      ...{ agent, round: at },
      text: ` ${agent === answerFrom ? answer : statement({ ...givenOf(problem), animals: told })}`,
      ...(agent === answerFrom && { score: answer === problem.answer ? 1 : 0 }),
    })),
  ).flat();
};
