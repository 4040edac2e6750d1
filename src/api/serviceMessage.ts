/**
 * What the page tells its service worker: to keep the page, with the warm start that the visit began with or none, then the
 * others, one after the other; or to replace the former one.
 */
export type ServiceMessage =
  { kind: 'keep'; warmStart: string | null; others: readonly string[] } | { kind: 'takeOver' };
