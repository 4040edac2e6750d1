// The initial settings of a run in a visitor's own world.
import type { Settings } from '../../base/errors.ts';
import type { ProtocolName } from '../protocols/facts.ts';
import type { WorldForm } from './form.ts';
import type { OwnForm } from './own.ts';
import { shippedForms } from './registry.ts';

/** These settings contain no weights for the reward parts of other worlds. */
export function settingsIn(form: OwnForm, protocol: ProtocolName, level: number): Settings {
  const others: readonly WorldForm[] = shippedForms;
  return {
    ...Object.fromEntries(
      others.flatMap(({ name, parts }) => parts.map((part) => [`${name}.${part.name}`, part.weight])),
    ),
    'world.name': form.name,
    'world.level': level,
    'world.also': [],
    'reward.own': {},
    'agents.protocol': protocol,
    'agents.otherVocabulary': 'same',
    'warmStart.source': 'train',
    'warmStart.untilMastered': true,
  };
}
