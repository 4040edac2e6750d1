// A world of your own, as text that runs in a sandbox, and a team that learns in it.
//   node examples/ownWorld.mjs
import { train } from 'cothink/train';

const world = `
export const about = {
  name: 'colours', label: 'Colours', sentence: 'The planner sees a colour; the reasoner must name it.',
  levels: ['one colour'], hidden: { colour: 'the colour' }, 
  words: ['red', 'green', 'blue', 'white', 'what', 'colour', 'has', 'the', 'car', 'hat', 'cup', 'door', 'ball', 'coat'],
  room: { prompt: 8, turn: 3, rounds: 2 },
};
const colours = ['red', 'green', 'blue', 'white'];
const things = ['car', 'hat', 'cup', 'door', 'ball', 'coat'];
export const draw = (random) => {
  const colour = random.pick(colours);
  return { shown: 'what colour has the ' + random.pick(things), hidden: { colour }, answer: colour };
};
export const ceiling = (level, sees) => (sees.includes('colour') ? 1 : 1 / 4);
export const judge = (problem, { role, text }) =>
  role === 'metaThinking' ? { answer: null } : { answer: text, score: text === problem.answer ? 1 : 0 };
export const demonstrate = (random, problem, { goodPlans }) => {
  const plan = random() < goodPlans ? problem.answer : random.pick(colours);
  return [
    { agent: 0, round: 0, text: plan }, { agent: 1, round: 0, text: plan },
    { agent: 0, round: 1, text: '', isFinish: true },
  ];
};`;

const settings = {
  agents: { size: 'micro' },
  warmStart: { source: 'train', steps: 300, batchSize: 32 },
  learning: { learner: 'grpo', problemsPerIteration: 16, groupSize: 8 },
  evaluation: { problems: 16 },
  run: { iterations: 30, backend: 'cpu' },
};
for await (const news of train({ world, settings }))
  if (news.kind === 'evaluation')
    console.log(`iteration ${news.evaluation.iteration}: right ${news.evaluation.accuracy}`);
