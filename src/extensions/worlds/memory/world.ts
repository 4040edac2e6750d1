// The world of this folder's module, in the form that the rollout uses.
import { worldFrom } from '../../../tasks/contract/worldFrom.ts';
import * as module from './module.ts';

export const world = worldFrom(module);
