// Your own program speaks for both agents: a dialogue about one problem, judged by the world.
//   node examples/dialogue.mjs
import { drawProblem, openWorld, play } from 'cothink/worlds';

const world = await openWorld('houseRule');
const problem = drawProblem(world, { seed: 7 });
const [rule] = Object.values(problem.hidden);
console.log(`${problem.shown} = ?  Only the planner sees the rule: ${rule}`);

/** The part of the sum that comes next by the rule, such as 8*9; null if one number is left. */
function nextPart(sum) {
  const parts = [...sum.matchAll(/(?=(\d[-+*]\d))/g)].map(([, part]) => part);
  const products = parts.filter((part) => part.includes('*'));
  if (rule === '<rightToLeft>') return parts.at(-1) ?? null;
  return (rule === '<precedence>' ? products[0] : undefined) ?? parts[0] ?? null;
}

/** Only the last digit counts in this world. */
function result(part) {
  const [a, operation, b] = [Number(part[0]), part[1], Number(part[2])];
  const value = operation === '+' ? a + b : operation === '-' ? a - b : a * b;
  return ((value % 10) + 10) % 10;
}

let sum = problem.shown;
/** Replace this function by your model; `dialogue.awaited.heard` is everything that the agent has read so far. */
function speak(agent) {
  const part = nextPart(sum);
  if (agent === 0) return { text: part ?? '', isFinish: part === null };
  sum = sum.replace(part, result(part));
  return { text: sum, isFinish: false };
}

const said = [[], []];
let dialogue = await play(world, problem, said);
while (dialogue.awaited) {
  const { agent } = dialogue.awaited;
  said[agent].push(speak(agent));
  dialogue = await play(world, problem, said);
}
for (const { role, text, isFinish, reason } of dialogue.turns)
  console.log(`${role}: ${text}${isFinish ? ' (ends)' : ''}${reason ? `   — ${reason}` : ''}`);
console.log(`answer ${dialogue.answer}, ${dialogue.isRight ? 'right' : 'wrong'}`);
