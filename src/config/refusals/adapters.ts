// What adapters of low rank ask for.
import type { Config } from '../schema.ts';
import { sizes } from '../sizes.ts';

/** Refuses a rank that the network is too narrow for. */
export function refuseImpossibleAdapters({ agents }: Config, refuse: (message: string) => never): void {
  const { hiddenSize } = sizes[agents.size];
  if (agents.parameters === 'lora' && agents.loraRank > hiddenSize) {
    refuse(
      `agents.loraRank: a matrix of a ${agents.size} network has ${hiddenSize} directions, not ${agents.loraRank}; use agents.loraRank = ${hiddenSize}.`,
    );
  }
}
