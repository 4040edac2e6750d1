// The verifier of a run.
import { verifierZip } from '../../../formats/verifierZip.ts';
import { verifierTakenAway } from '../../../training/history/takenAway.ts';
import { writeWhole } from '../../../../cli/files.ts';
import { ofSession } from '../../../../cli/stored/carried.ts';
import type { Write } from '../../../../cli/stored/carrier.ts';

export const write: Write = (stored, given, file) =>
  ofSession(stored, given, async (session) => writeWhole(file, verifierZip(await verifierTakenAway(session))));
