// Every world's code by its name.
import type { Config } from '../config/schema.ts';
import type { WorldName } from '../config/worlds/registry.ts';
import { algebra } from './algebra/algebra.ts';
import { code } from './code/code.ts';
import { debate } from './debate/debate.ts';
import { entailment } from './entailment/entailment.ts';
import { grid } from './grid/grid.ts';
import { houseRule } from './houseRule/houseRule.ts';
import { memory } from './memory/memory.ts';
import { wordProblems } from './wordProblems/wordProblems.ts';
import { mixture } from './mixture.ts';
import type { World } from './world.ts';

export const worlds: Readonly<Record<WorldName, World>> = {
  ...{ houseRule, wordProblems, algebra, entailment, debate, grid, code, memory },
};

/** The world of these settings: the one that they name, or two at once. */
export const worldOf = ({ name, second, ...settings }: Config['world']): World =>
  second === 'none' ? worlds[name] : mixture(worlds[name], worlds[second], settings);
