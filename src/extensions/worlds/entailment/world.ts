// The world of this folder's module, as the rollout asks it.
import { worldFrom } from '../../../tasks/contract/worldFrom.ts';
import * as module from './module.ts';

export const world = worldFrom(module);
