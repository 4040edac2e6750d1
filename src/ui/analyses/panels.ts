// The panels of all analyses, found by their folders and loaded when a visitor opens one.
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
type Panel = Component<{ state: object; opened: OpenedToken | undefined }>;

const found = import.meta.glob<Panel>('../../extensions/analyses/*/page/Panel.svelte', { import: 'default' });

/** Loads the panel of an analysis. */
export async function loadPanel(name: string): Promise<Panel> {
  const load = found[`../../extensions/analyses/${name}/page/Panel.svelte`];
  if (!load) throw new Error(`src/extensions/analyses/${name}/page/Panel.svelte: there is no such file.`);
  return load();
}
