// Makes the world that the rollout uses from this folder's module.
import { worldFrom } from '../../../tasks/contract/worldFrom.ts';
import * as module from './module.ts';

export const world = worldFrom(module);
