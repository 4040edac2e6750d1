// The buttons that save the adapter of each agent.
import { say } from '../../../state/visitor/language.svelte.ts';
import { offersOfModel } from '../../../ui/carriers/ofModel.ts';
import type { Take } from '../../../ui/carriers/take.ts';

export const take: Take = (taking) =>
  offersOfModel(taking, 'adapter', {
    ending: 'adapter',
    told: (role) => ({
      label: say('Adapter · {role}', { role }),
      title: say('The adapter alone, in the format of PEFT, with the tokenizer{each}', { each: taking.each }),
    }),
  });
