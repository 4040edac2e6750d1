// The contract of an analysis's panel, `extensions/analyses/NAME/page/Panel.svelte`.
import type { Component } from 'svelte';
import type { Formula } from '../../records/formula.ts';
import type { TurnInspection } from '../../records/inspection.ts';

/** The token that is open, for the panels below it. */
export interface OpenedToken {
  formula: Formula;
  turn: TurnInspection;
  /** Its index in the turn. */
  token: number;
}

/** The properties of a panel: the state of its analysis, and the token to which the panel belongs, if any. */
export type Panel = Component<{ state: object; opened: OpenedToken | undefined }>;
