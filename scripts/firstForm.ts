// Lists the settings on the form of the first screen for `npm run house`: those that are shown before "advanced" is
// opened, with the default preset.
import { describeFields } from '../src/config/describe.ts';
import { canMatter } from '../src/config/matters.ts';
import { presetConfig } from '../src/config/presets.ts';
import { worldForms } from '../src/config/worlds/registry.ts';

export function settingsOnFirstForm(): number {
  const config = presetConfig('default');
  return describeFields().filter(
    (field) => field.isBasic && (!Object.hasOwn(worldForms, field.section) || canMatter(field, config)),
  ).length;
}
