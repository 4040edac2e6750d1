// Every world by its name.
import type { WorldName } from '../config/names.ts';
import { houseRule } from './houseRule/houseRule.ts';
import type { World } from './world.ts';

export const worlds: Readonly<Record<WorldName, World>> = { houseRule };
