// The types for the panel of an analysis, `extensions/analyses/NAME/page/Panel.svelte`.
import type { Component } from 'svelte';
import type { Formula } from '../../records/formula.ts';
import type { TurnInspection } from '../../records/inspection.ts';

/** The token whose details are open, for the panels that are shown below it. */
export interface OpenedToken {
  formula: Formula;
  turn: TurnInspection;
  /** The index of the token in its turn. */
  token: number;
}

/** The properties of a panel: the state of its analysis, and the token to which the panel belongs, if any. */
export type Panel = Component<{ state: object; opened: OpenedToken | undefined }>;
