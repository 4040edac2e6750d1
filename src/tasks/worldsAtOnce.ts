// The code of all built-in worlds. The page leaves this list empty and loads each world when it is needed (vite.config.ts).
import type { World } from './world.ts';

export const atOnce = import.meta.glob<World>('../extensions/worlds/*/world.ts', { eager: true, import: 'world' });
