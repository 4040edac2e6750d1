// The contract of an analysis's panel, `extensions/analyses/NAME/page/Panel.svelte`.
import type { Component } from 'svelte';
import type { Formula } from '../../records/formula.ts';
import type { TurnInspection } from '../../records/inspection.ts';

/** The opened token, for the panels below it. */
export interface OpenedToken {
  formula: Formula;
  turn: TurnInspection;
  /** Its index in the turn. */
  token: number;
}

/** A panel receives the state of its analysis, and the token if it belongs to one. */
export type Panel = Component<{ state: object; opened: OpenedToken | undefined }>;
