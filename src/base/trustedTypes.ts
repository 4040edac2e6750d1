// A page's headers can demand Trusted Types. The browser then accepts a text as the address of a script only if a
// policy approves it. The policy in this file approves only addresses of the page's own origin, so only the page's own
// workers can start.

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (address: string) => string }): unknown;
}
const surroundings = globalThis as { trustedTypes?: TrustedTypes; location?: { href: string; origin: string } };

/**
 * Must be called once on the page, and in each worker that starts others, before the first worker starts. Does nothing
 * if the browser does not support Trusted Types.
 */
export function trustOwnWorkers(): void {
  surroundings.trustedTypes?.createPolicy('default', { createScriptURL: ownAddress });
}

/**
 * Returns the address unchanged if it belongs to the origin of the page. Throws TypeError otherwise, as the browser
 * does for an address that it refuses.
 */
function ownAddress(address: string): string {
  const { href = '', origin = '' } = surroundings.location ?? {};
  if (new URL(address, href).origin === origin) return address;
  throw new TypeError(`worker: expected a script from ${origin}, got one from another origin.`);
}
