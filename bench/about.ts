// The generated parts of the pages of extensions (`about.md` in their folders) and the lists of these pages in docs, each
// by the name of its block; scripts/docs.mjs inserts them.
import { learnerBlocks } from './about/learners.ts';
import { protocolBlocks } from './about/protocols.ts';
import { worldBlocks } from './about/worlds.ts';

export const aboutBlocks = { ...worldBlocks, ...learnerBlocks, ...protocolBlocks };
