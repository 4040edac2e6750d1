// Agents that only speak: their weights stay as they are while the others learn around them.
import { agentSet } from '../field.ts';
import { apart } from './conditions.ts';

export const freezingFields = {
  frozen: agentSet([], {
    label: 'Frozen agents',
    help: 'They only speak: their weights stay as they are while the others learn. In files and links agents are counted from 0. Needs parameters of their own.',
    source: 'Cothink',
    group: 'Who learns',
    matters: [apart],
    isLive: true,
  }),
};
