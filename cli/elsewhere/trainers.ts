// The trainers of `cothink export --for`, found by their location in the source tree.
import type { Trainer, TrainerFacts } from './trainer.ts';

/** The facts of all trainers, sorted by `order`. */
export const trainerFacts: readonly TrainerFacts[] = Object.values(
  import.meta.glob<TrainerFacts>('../../src/extensions/trainers/*/facts.ts', { eager: true, import: 'facts' }),
).sort((one, other) => one.order - other.order);

const code = import.meta.glob<Trainer>('../../src/extensions/trainers/*/trainer.ts', { import: 'trainer' });
const rewards = import.meta.glob<string>('../../src/extensions/trainers/*/reward.py', {
  query: '?raw',
  import: 'default',
});

/** Loads the code of a trainer. */
export const loadTrainer = (facts: TrainerFacts): Promise<Trainer> => loaded(code, facts, 'trainer.ts');

/** Loads a trainer's reward function, which is written in Python. */
export const loadReward = (facts: TrainerFacts): Promise<string> => loaded(rewards, facts, 'reward.py');

async function loaded<T>(from: Record<string, () => Promise<T>>, { name }: TrainerFacts, file: string): Promise<T> {
  const load = from[`../../src/extensions/trainers/${name}/${file}`];
  if (!load) throw new Error(`src/extensions/trainers/${name}/${file}: there is no such file.`);
  return load();
}
