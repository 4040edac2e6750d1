// The names of the texts of prompts, and of the duties of agents.

/**
 * The texts of prompts by name.
 *
 * - `system`: the system message; no such message if the text is empty.
 * - `start`: what every agent is told first.
 * - `hidden.NAME`: what an agent that sees this hidden text is told.
 * - `heard`: a message of another agent, with `{speaker}` and `{message}`.
 * - `observed`: an observation, with `{message}`.
 * - `ask`: the request with which every message of the user ends.
 * - `again`: replaces `ask` after the agent's first turn.
 *
 * Except for `hidden`, a name can end with a role or a duty, such as `ask.plan`, and then applies only to agents with
 * this role or duty. The name `heard` ends with the role of the speaker.
 */
export type PromptTexts = Readonly<Record<string, string>>;

/**
 * The duty of an agent in a turn: to name the next step, to carry out a step, to do a step without a planner, to tell
 * others what it knows, or to answer.
 */
export const duties = ['plan', 'step', 'alone', 'tell', 'answer'] as const;
export type Duty = (typeof duties)[number];
