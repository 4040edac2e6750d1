/** What the page tells its service worker: to keep the page, with one warm start or none, or to take the place of the former one. */
export type ServiceMessage = { kind: 'keep'; warmStart: string | null } | { kind: 'takeOver' };
