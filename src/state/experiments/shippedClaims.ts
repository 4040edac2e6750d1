// The claims that lie beside the page, as the benches measured them.
import * as v from 'valibot';
import { FormatError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { claimsSchema, type ClaimRecord } from '../../records/claims/claimRecord.ts';

/** Reads the claims that lie beside the page. Throws FormatError. */
export async function shippedClaims(): Promise<ClaimRecord[]> {
  const response = await fetch(new URL('claims.json', document.baseURI)).catch(() => null);
  if (!response?.ok) throw new FormatError(spoken`claims: they could not be loaded; reload the page.`);
  const read = v.safeParse(claimsSchema, await response.json());
  if (!read.success)
    throw new FormatError(spoken`claims: ${v.getDotPath(read.issues[0]) ?? ''}: ${read.issues[0].message}`);
  return read.output.rows;
}
