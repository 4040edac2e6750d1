/**
 * Messages from the page to its service worker: `keep` stores the page, with the warm start that the visit began with
 * or none, then the others, one after another; `takeOver` replaces the former service worker.
 */
export type ServiceMessage =
  { kind: 'keep'; warmStart: string | null; others: readonly string[] } | { kind: 'takeOver' };
