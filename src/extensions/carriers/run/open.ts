// Applies the settings in a run file, or in an image of a figure that contains a run file.
import type { Opener } from '../../../state/carriers/open.ts';
import { say } from '../../../state/visitor/language.svelte.ts';

export const opener: Opener = {
  takes: () => true,
  open: (file, { looking, run, sharing, notices, textOf }) => {
    const { view, isWriter } = run;
    if (looking.isOn) return notices.news(say('Nothing was opened: first close the run that is open for viewing.'));
    if (!isWriter) return notices.news(say('Training is running in another tab; open the run file in that tab.'));
    if (view.state === 'training' || view.state === 'preparing')
      return notices.news(say('Nothing was opened: pause the run first, then drop the run file again.'));
    return sharing.openFile(file.name, () => textOf(file));
  },
};
