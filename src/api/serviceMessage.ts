/**
 * Messages from the page to its service worker. `keep` stores the page, then the warm start that the visit began with,
 * if any, then the other warm starts, one after another. `takeOver` replaces the former service worker.
 */
export type ServiceMessage =
  { kind: 'keep'; warmStart: string | null; others: readonly string[] } | { kind: 'takeOver' };
