// Converts the module of this folder to a world that the rollout can use.
import { worldFrom } from '../../../tasks/contract/worldFrom.ts';
import * as module from './module.ts';

export const world = worldFrom(module);
