// Opens a GGUF file in the dialog for models.
import type { Opener } from '../../../state/carriers/open.ts';

export const opener: Opener = {
  takes: ({ name }) => /\.gguf$/i.test(name),
  open: (file, { models, onmodel }) => {
    models.bring([file]);
    onmodel();
  },
};
