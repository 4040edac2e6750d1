// Every world's code by its name.
import type { WorldName } from '../config/worlds/registry.ts';
import { algebra } from './algebra/algebra.ts';
import { code } from './code/code.ts';
import { debate } from './debate/debate.ts';
import { entailment } from './entailment/entailment.ts';
import { grid } from './grid/grid.ts';
import { houseRule } from './houseRule/houseRule.ts';
import { memory } from './memory/memory.ts';
import { wordProblems } from './wordProblems/wordProblems.ts';
import type { World } from './world.ts';

export const worlds: Readonly<Record<WorldName, World>> = {
  ...{ houseRule, wordProblems, algebra, entailment, debate, grid, code, memory },
};
