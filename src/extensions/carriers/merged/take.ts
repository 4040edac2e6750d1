// The buttons that save the model of each agent with its adapter merged in.
import { say } from '../../../state/visitor/language.svelte.ts';
import { offersOfModel } from '../../../ui/carriers/ofModel.ts';
import type { Take } from '../../../ui/carriers/take.ts';

export const take: Take = (taking) =>
  offersOfModel(taking, 'merged', {
    ending: 'merged',
    told: (role) => ({
      label: say('Merged · {role}', { role }),
      title: say(
        'The whole model in the format of transformers, with the adapter merged in and 16 bits per weight{each}',
        {
          each: taking.each,
        },
      ),
    }),
  });
