// Branded types for ids, so that the compiler rejects, for example, an agent's number in place of a run's id.
import * as v from 'valibot';

declare const brand: unique symbol;
type Branded<T, B extends string> = T & { readonly [brand]: B };

/** An agent: 0, 1, … in the order of the protocol. */
export type AgentId = Branded<number, 'AgentId'>;
/** A stored run. */
export type RunId = Branded<string, 'RunId'>;

export const agentId = (index: number) => index as AgentId;
export const runId = (text: string) => text as RunId;
const openedPrefix = 'opened-';
/** The id of a run that is only displayed and is not stored. */
export const openedId = (id: RunId) => runId(openedPrefix + id);
export const isOpened = (id: RunId): boolean => id.startsWith(openedPrefix);
export const runIdSchema = v.pipe(v.string(), v.transform(runId));

export { roles, type Role } from '../config/names.ts';
