// Two learning rates with three seeds each, and the 95 % interval of the accuracy over seeds.
//   node examples/sweep.mjs
import { mean, tInterval } from 'cothink/inspect';
import { train } from 'cothink/train';

for (const learningRate of [3e-4, 3e-3]) {
  const accuracies = [];
  for (const seed of [1, 2, 3]) {
    const settings = { optimiser: { learningRate }, run: { iterations: 4, seed, backend: 'cpu' } };
    let accuracy = 0;
    for await (const news of train({ preset: 'quick', settings }))
      if (news.kind === 'evaluation') ({ accuracy } = news.evaluation);
    accuracies.push(accuracy);
  }
  const { low, high } = tInterval(accuracies);
  console.log(
    `learning rate ${learningRate}: ${mean(accuracies).toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`,
  );
}
