// The schema of the reason for a score, which is stored with the turn.
import * as v from 'valibot';
import { toldSchema } from '../config/told.ts';
import { presentReason } from '../migrations/reason.ts';

/** A stored reason, which may have been written by an earlier version. */
export const reasonSchema = v.pipe(v.unknown(), v.transform(presentReason), toldSchema);
