// Opens a zip file with a Hugging Face model in the dialog for models.
import type { Opener } from '../../../state/carriers/open.ts';
import { zipNames } from '../../../state/carriers/zipNames.ts';

export const opener: Opener = {
  takes: (file) => zipNames(file, 'config.json'),
  open: (file, { models, onmodel }) => {
    models.bring([file]);
    onmodel();
  },
};
