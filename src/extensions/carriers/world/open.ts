// Stores the world of a world file, so that it can be chosen.
import { readWorldFile } from '../../../formats/worldFile.ts';
import type { Opener } from '../../../state/carriers/open.ts';
import { say } from '../../../state/visitor/language.svelte.ts';

export const opener: Opener = {
  takes: ({ name }) => /\.world$/i.test(name),
  open: async (file, { ownWorlds, notices }) => {
    await notices.attempt(async () => {
      const { label, content } = readWorldFile(await file.text());
      const world = await ownWorlds.opened(content);
      const isStored = await ownWorlds.keep({ ...world, form: { ...world.form, label } });
      if (isStored) notices.news(say('{label} is stored. Choose it as World in the settings.', { label }));
    });
  },
};
