// Trusted Types: where the headers demand them, the browser takes no text as the address of a script but through a
// policy. Ours lets through what comes from this very origin, so that our workers start and nothing else does.

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (address: string) => string }): unknown;
}
const surroundings = globalThis as { trustedTypes?: TrustedTypes; location?: { href: string; origin: string } };

/**
 * Call once on the page, and in each worker that starts others, before the first start. Does nothing where the browser
 * has no trusted types.
 */
export function trustOwnWorkers(): void {
  surroundings.trustedTypes?.createPolicy('default', { createScriptURL: ownAddress });
}

/** The address itself where it lies at this origin. Throws TypeError, as the browser does for one that it refuses. */
function ownAddress(address: string): string {
  const { href = '', origin = '' } = surroundings.location ?? {};
  if (new URL(address, href).origin === origin) return address;
  throw new TypeError(`worker: expected a script of ${origin}, got another's.`);
}
