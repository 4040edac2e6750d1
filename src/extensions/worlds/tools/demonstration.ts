// Dialogues to imitate in the warm start. Every call is well formed, and every answer is taken from the results. The
// setting `goodPlans` determines how often the plans answer the question. The other plans answer a different question,
// so reinforcement learning can still improve the agents.
import type { RandomNumbers } from '../../../base/random.ts';
import type { Problem } from '../../../records/problem.ts';
import { demonstrateAnswers, type Answerer } from '../../../tasks/answers/demonstratedAnswers.ts';
import type { Demonstrate, ShownMessage } from '../../../tasks/contract/worldModule.ts';
import { judge } from './assessment.ts';
import { knownOutcome, saidValue, valueOf, written, type ToolCall } from './calls.ts';
import { drawNumber } from './knowledge.ts';
import { answerPlan, executed } from './plans.ts';
import { givenOf } from './problems.ts';
import { drawTask, slices } from './tasks.ts';
import { towns, unknown } from './vocabulary.ts';

/** The plans for the problem's question or, if `isGood` is false, for another question of the same level. */
function plansFor(problem: Problem, draws: RandomNumbers, isGood: boolean): readonly string[] {
  if (isGood) return givenOf(problem).plans;
  return [...drawTask(problem.level, draws, draws.pick(slices)).plans, answerPlan];
}

/** The messages in the order in which they are sent. The messages never exceed the limits of the level. */
export const demonstrate: Demonstrate = (draws, problem, options, protocol) => {
  if (!protocol.hasSteps) return demonstrateAnswers(answerer, draws, problem, options, protocol);
  const bench = givenOf(problem);
  const hasPlanner = protocol.roles.length > 1;
  const out: ShownMessage[] = [];
  let { files } = bench;
  let it: string | null = null;
  for (const [round, plan] of plansFor(problem, draws, draws.next() < options.goodPlans).entries()) {
    const say = (agent: number, text: string) => out.push({ agent, round, text });
    if (hasPlanner) say(0, plan);
    const said = executed(plan, bench.tools, it);
    const isSlip = draws.next() < options.resultNoise;
    const agent = hasPlanner ? 1 : 0;
    if (!said || 'answer' in said) {
      say(agent, isSlip ? anyAnswer(draws) : said?.answer ? saidValue(said.answer) : unknown);
      break;
    }
    const call = isSlip ? anyCall(problem, draws) : said.call;
    say(agent, written(call));
    const { found, files: after } = knownOutcome({ ...bench, files }, call);
    files = after;
    it = found[0] === undefined ? null : valueOf(found[0]);
  }
  return out;
};

const anyAnswer = (draws: RandomNumbers) => (draws.below(2) === 0 ? ` ${draws.pick(towns)}` : drawNumber(draws));

/** The first call that a random question of the level needs. */
function anyCall({ level }: Problem, draws: RandomNumbers): ToolCall {
  const [plan = ''] = drawTask(level, draws, draws.pick(slices)).plans;
  const said = executed(plan, [], null);
  return said && 'call' in said ? said.call : { tool: 'read', given: '' };
}

/** Whole answers in one turn, for protocols in which agents have no tools. */
const answerer: Answerer = {
  judge,
  solve: ({ answer }, draws, { isGood, resultNoise }) =>
    isGood && draws.next() >= resultNoise ? saidValue(answer) : anyAnswer(draws),
};
