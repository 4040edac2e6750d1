// All protocols by name.
import type { ProtocolName } from '../../config/names.ts';
import type { Protocol } from '../protocol.ts';
import { reMA } from './reMA.ts';
import { single } from './single.ts';

export const protocols: Record<ProtocolName, Protocol> = { reMA, single };
