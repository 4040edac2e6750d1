// The exports of agents whose base model is too large to be copied as a whole.
import type { ModelForm } from '../../records/stored/modelCard.ts';
import { download } from '../shell/download.ts';
import { fileName, type Offer, type Taking } from './take.ts';

/**
 * One button for each agent. `told` returns the label and the title of a button, and `ending` is the end of the
 * exported file’s name.
 */
export const offersOfModel = (
  { run, agents, isHeld }: Taking,
  form: ModelForm,
  { ending, told }: { ending: string; told: (role: string) => Pick<Offer, 'label' | 'title'> },
): Offer[] =>
  (isHeld ? agents : []).map(({ agent, role }) => ({
    ...told(role),
    needs: 'weights',
    make: async () => {
      const { file, isZip } = await run.trainer.ofRun.exportModel(agent, form);
      download(fileName(run, `-${role.replaceAll(' ', '-')}-${ending}${isZip ? '.zip' : '.gguf'}`), file);
    },
  }));
