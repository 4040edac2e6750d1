/**
 * Messages from the page to its service worker. `keep` stores the page, then the warm start with which the visit began,
 * if there is one, and then the other warm starts, one after another. `takeOver` replaces the former service worker.
 */
export type ServiceMessage =
  { kind: 'keep'; warmStart: string | null; others: readonly string[] } | { kind: 'takeOver' };
