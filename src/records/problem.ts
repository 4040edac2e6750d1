// One question with a checkable answer, and who may see what of it.

/** Rules of evaluation in house-rule arithmetic. */
export const ruleNames = ['precedence', 'leftToRight', 'rightToLeft'] as const;
export type RuleName = (typeof ruleNames)[number];

export interface Problem {
  /** Stable name: the expression and its rule. */
  id: string;
  level: number;
  /** What every agent sees, e.g. `7+4*2-5`. */
  expression: string;
  /** What the meta-thinking agent alone sees. */
  rule: RuleName;
  answer: string;
}
