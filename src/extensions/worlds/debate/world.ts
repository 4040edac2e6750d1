// Makes a world from the module of this folder, in the form that rollouts use.
import { worldFrom } from '../../../tasks/contract/worldFrom.ts';
import * as module from './module.ts';

export const world = worldFrom(module);
