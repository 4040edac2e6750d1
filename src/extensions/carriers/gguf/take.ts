// The buttons that save the model of each agent in the format of llama.cpp, in two precisions.
import { say } from '../../../state/visitor/language.svelte.ts';
import { offersOfModel } from '../../../ui/carriers/ofModel.ts';
import type { Take } from '../../../ui/carriers/take.ts';

export const take: Take = (taking) => {
  const { each } = taking;
  return [
    ...offersOfModel(taking, 'ggufF16', {
      ending: 'f16',
      told: (role) => ({
        label: say('GGUF, 16 bits · {role}', { role }),
        title: say('A GGUF file for llama.cpp, with the adapter merged in and 16 bits per weight{each}', { each }),
      }),
    }),
    ...offersOfModel(taking, 'ggufQ8', {
      ending: 'q8_0',
      told: (role) => ({
        label: say('GGUF, 8 bits · {role}', { role }),
        title: say('A GGUF file for llama.cpp with 8 bits per weight (Q8_0), half as large as with 16 bits{each}', {
          each,
        }),
      }),
    }),
  ];
};
