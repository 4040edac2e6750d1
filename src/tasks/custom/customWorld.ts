// Makes a world that a visitor wrote: a module that follows the contract (tasks/contract) and whose text runs in the
// sandbox.
import { visitorsWorld } from '../contract/worldFrom.ts';
import type { World } from '../world.ts';
import { moduleInSandbox } from './module.ts';

/**
 * Makes the world that a text defines. `name` is the name by which settings refer to it. Throws SandboxError if the
 * text cannot be run, and ConfigError if the text does not define a world.
 */
export const customWorld = async (source: string, named?: string): Promise<World> =>
  visitorsWorld(await moduleInSandbox(source), named);
