// The buttons that save the weights of each agent whose network was trained from the beginning by Cothink.
import { say } from '../../../state/visitor/language.svelte.ts';
import { zipName, type Take } from '../../../ui/carriers/take.ts';
import { download } from '../../../ui/shell/download.ts';

export const take: Take = ({ run, agents, isHeld, each, hasOptimiser }) =>
  (isHeld ? [] : agents).map(({ agent, role }) => ({
    label: say('Weights · {role}', { role }),
    title: say(
      'Safetensors, config, tokenizer and chat template of the {role} agent, with the file names of Hugging Face, and the same weights as GGUF and ONNX{each}',
      { role, each },
    ),
    needs: 'weights',
    make: async () =>
      download(zipName(run, role), await run.trainer.ofRun.exportWeights(agent, hasOptimiser()), 'application/zip'),
  }));
