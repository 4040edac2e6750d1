// The panels of all analyses, collected from their folders. All panels are loaded together when a visitor opens the
// first panel, because separate files would compress worse.
import type { Panel } from './panel.ts';

const found = import.meta.glob<Panel>('../../extensions/analyses/*/page/Panel.svelte', {
  eager: true,
  import: 'default',
});

/** The panel of an analysis. */
export function panelOf(name: string): Panel {
  const panel = found[`../../extensions/analyses/${name}/page/Panel.svelte`];
  if (!panel) throw new Error(`src/extensions/analyses/${name}/page/Panel.svelte: there is no such file.`);
  return panel;
}
