// A learner of your own: a formula for the advantages of a group replaces that of GRPO, and both are compared.
//   node examples/ownLearner.mjs
import { mean, welch } from 'cothink/inspect';
import { train } from 'cothink/train';

// The rank of a reward in its group, instead of its distance from the mean.
const byRank = `// cothink exercise: groupMean
function advantages(rewards) {
  const below = (reward) => rewards.filter((other) => other < reward).length;
  const equal = (reward) => rewards.filter((other) => other === reward).length;
  return rewards.map((reward) => (below(reward) + equal(reward) / 2) / rewards.length - 0.5);
}`;

/** The accuracy on the held-out problems after a few iterations, for each of three seeds. */
async function accuracies(ownFormula) {
  const all = [];
  for (const seed of [1, 2, 3]) {
    const learning = { learner: 'grpo', ownFormula, problemsPerIteration: 16, groupSize: 8 };
    let accuracy = 0;
    for await (const news of train({ settings: { learning, run: { iterations: 6, seed, backend: 'cpu' } } }))
      if (news.kind === 'evaluation') ({ accuracy } = news.evaluation);
    all.push(accuracy);
  }
  return all;
}
const [published, own] = [await accuracies(''), await accuracies(byRank)];
const { mean: gap, low, high } = welch(own, published);
console.log(`GRPO ${mean(published).toFixed(3)}, by rank ${mean(own).toFixed(3)}`);
console.log(`difference ${gap.toFixed(3)}, 95 % interval over seeds ${low.toFixed(3)} to ${high.toFixed(3)}`);
