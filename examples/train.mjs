// Trains the first preset for a few iterations, looks at one token, and saves an agent.
//   node examples/train.mjs
import { writeFileSync } from 'node:fs';
import { startTraining, writeCheckpoint } from 'cothink/train';

const training = await startTraining({
  preset: 'quick',
  settings: { run: { iterations: 3, seed: 5, backend: 'cpu' } },
});
for await (const news of training.news()) {
  if (news.kind === 'begun') console.log(`${news.name} on ${news.engine.backend} (${news.engine.adapter})`);
  if (news.kind === 'evaluation') console.log(`  right: ${news.evaluation.accuracy.toFixed(3)}`);
  if (news.kind === 'iteration')
    console.log(`iteration ${news.iteration}: mean reward ${news.metrics['charts/episodic_return'].toFixed(3)}`);
}

const { rollouts } = await training.inspect(0);
const [turn] = rollouts[0].turns;
console.log('first message:', turn.tokens.join(''), ' probabilities:', turn.p.map((p) => p.toFixed(2)).join(' '));

writeFileSync('planner.zip', await training.model(0)); // for transformers and llama.cpp
writeFileSync('run.checkpoint', writeCheckpoint(await training.checkpoint()));
await training.close();
console.log('saved planner.zip and run.checkpoint');
