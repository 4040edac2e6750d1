// Stored records contain a `format` number. A record of an older format is migrated step by step to the present format,
// in memory. The stored record stays unchanged until it is written again.
import { StorageError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { quoted } from '../base/quote.ts';
import { onlyInWords, presentChanges, presentSettings, settingReader } from './settings.ts';

/** The format in which runs and checkpoints are written today. */
export const checkpointFormat = 6;

type StoredRecord = Record<string, unknown>;
/** The migrations. The migration at index n converts a record from format n to format n + 1. */
export type Steps = Readonly<Record<number, (record: StoredRecord) => StoredRecord>>;

// Format 2: each world has its own section of settings for the parts of its reward. Format 3: all additional worlds are
// one setting. Format 4: the memories of critics contain rewards, and their values have a scale. Format 5: “trajectory”
// means one agent's part of a dialogue, and “ipo” uses the mean per token; the former meanings of these values have new
// names. Format 6: an imported model talks in plain English in every world, unless the new setting `agents.inWords` is off.
const runStep = ({ plan, forkedFrom, ...run }: StoredRecord): StoredRecord => {
  const read = settingReader();
  return {
    ...withRenamed(run, read),
    ...(plan !== undefined && { plan: withRenamed(plan, read) }),
    ...(forkedFrom !== undefined && { forkedFrom: withParent(forkedFrom) }),
  };
};
const runSteps: Steps = { 1: runStep, 2: runStep, 3: (run) => run, 4: (run) => withFormerMeanings(run), 5: withSigns };
const checkpointSteps: Steps = {
  1: withRenamed,
  2: withRenamed,
  3: withCriticStates,
  4: (run) => withFormerMeanings(run),
  5: withSigns,
};

const isRecord = (value: unknown): value is StoredRecord => typeof value === 'object' && value !== null;

/**
 * Renames the settings of a record, and the changes to these settings, to their present names. Anything else stays
 * unchanged.
 */
function withRenamed(record: unknown, read = settingReader()): StoredRecord {
  if (!isRecord(record)) return record as unknown as StoredRecord;
  const { config, begun, changes } = record;
  return {
    ...record,
    // The changes are read after the settings that they change: the initial settings (`begun`) if they are stored, and
    // otherwise `config`.
    ...(config !== undefined && { config: presentSettings(config, begun === undefined ? read : settingReader()) }),
    ...(begun !== undefined && { begun: presentSettings(begun, read) }),
    ...(changes !== undefined && { changes: presentChanges(changes, read) }),
  };
}

/** Renames the settings of a run's parent and of all its ancestors in the same way. */
function withParent(origin: unknown): unknown {
  if (!isRecord(origin) || !isRecord(origin['parent'])) return origin;
  const { fork, ...parent } = withRenamed(origin['parent']);
  return { ...origin, parent: { ...parent, ...(fork !== undefined && { fork: withParent(fork) }) } };
}

/**
 * Converts a stored evaluation to the present format. In earlier versions, problems had no slices, and the accuracies
 * were stored by rule.
 */
export function presentEvaluation(record: unknown): unknown {
  if (!isRecord(record) || !('byRule' in record)) return record;
  const { byRule, ...evaluation } = record;
  return { bySlice: byRule, ...evaluation };
}

/** The values of settings that changed their meaning, each with the value that has this former meaning today. */
const formerMeanings: Record<string, Record<string, string>> = {
  ratioLevel: { trajectory: 'dialogue' },
  aggregation: { trajectory: 'dialogue' },
  preferenceKind: { ipo: 'ipoOfSum' },
};

/**
 * Converts a run or a checkpoint, with all its ancestors. If a value has another meaning today, it is replaced by the
 * value that has the former meaning, so that the run continues as it began. Runs in which each agent has its own
 * network keep their values: everything that such a network generated in a dialogue is one agent's part, so both
 * meanings are the same. Absent settings stay absent, because the meaning of no default has changed.
 */
function withFormerMeanings(record: StoredRecord, isAround = true): StoredRecord {
  const { config } = record;
  const agents = isRecord(config) && isRecord(config['agents']) ? config['agents'] : null;
  const isShared = agents ? (agents['parameters'] ?? 'shared') === 'shared' : isAround;
  const meant = (name: string, value: unknown): unknown => {
    const was = name === 'preferenceKind' || isShared ? formerMeanings[name] : undefined;
    return typeof value === 'string' && was && Object.hasOwn(was, value) ? was[value] : value;
  };
  const ofSettings = (settings: unknown): unknown => {
    if (!isRecord(settings) || !isRecord(settings['learning'])) return settings;
    const learning = Object.entries(settings['learning']).map(([name, value]) => [name, meant(name, value)]);
    return { ...settings, learning: Object.fromEntries(learning) as StoredRecord };
  };
  const ofChange = (change: unknown): unknown => {
    if (!isRecord(change) || typeof change['path'] !== 'string') return change;
    const [section, name = ''] = change['path'].split('.');
    return section === 'learning' ? { ...change, value: meant(name, change['value']) } : change;
  };
  const ofChanges = (changes: unknown): unknown => (Array.isArray(changes) ? changes.map(ofChange) : changes);
  const within = (other: unknown): unknown => (isRecord(other) ? withFormerMeanings(other, isShared) : other);
  const read = {
    ...{ config: ofSettings, begun: ofSettings, changes: ofChanges, settings: ofChanges },
    ...{ plan: within, forkedFrom: within, fork: within, parent: within },
  };
  const entries = Object.entries(record).map(([name, value]) => [
    name,
    Object.hasOwn(read, name) ? read[name as keyof typeof read](value) : value,
  ]);
  return Object.fromEntries(entries) as StoredRecord;
}

/**
 * Converts a run or a checkpoint, with all its ancestors, if its agents are adapters to an imported model that read and
 * wrote the signs of the world's vocabulary. The setting for plain English is off in such a run.
 */
function withSigns(record: StoredRecord): StoredRecord {
  const ofSettings = (settings: unknown): unknown => {
    if (!isRecord(settings) || !isRecord(settings['agents'])) return settings;
    const { agents, world } = settings;
    const isOnModel = typeof agents['start'] === 'string' && agents['start'].startsWith('model-');
    if (!isOnModel || (isRecord(world) && world['name'] === onlyInWords)) return settings;
    return { ...settings, agents: { ...agents, inWords: false } };
  };
  const within = (other: unknown): unknown => (isRecord(other) ? withSigns(other) : other);
  const read = {
    config: ofSettings,
    begun: ofSettings,
    plan: within,
    forkedFrom: within,
    fork: within,
    parent: within,
  };
  const entries = Object.entries(record).map(([name, value]) => [
    name,
    Object.hasOwn(read, name) ? read[name as keyof typeof read](value) : value,
  ]);
  return Object.fromEntries(entries) as StoredRecord;
}

/** The scale of a critic that has no statistics of returns yet. This scale leaves values unchanged. */
const rawScale = { weight: 1, mean: 0, square: 1 };

/**
 * Converts the memory of the joint critic to the first entry of the list of critics. The former memory contained the
 * return of each turn. Each return is replaced by the reward of the turn, which is computed so that the discounted
 * returns stay the same.
 */
function withCriticStates({ criticMemory, ...checkpoint }: StoredRecord): StoredRecord {
  const { critics } = checkpoint;
  if (!Array.isArray(critics)) return checkpoint;
  const { stored, facts, returns } = (criticMemory ?? {}) as Record<string, unknown>;
  const empty = { stored: 0, facts: new Uint16Array(), rewards: new Float64Array() };
  const isMemory = facts instanceof Uint16Array && returns instanceof Float64Array;
  const memory = isMemory ? { stored, ...withRewards(facts, returns, gammaTurnOf(checkpoint)) } : empty;
  return { ...checkpoint, criticStates: critics.map(() => ({ memory, scale: rawScale })) };
}

/** Converts the stored returns to rewards. Each row of the memory is a dialogue, and each column is a turn. */
function withRewards(facts: Uint16Array, returns: Float64Array, gamma: number) {
  const packed: number[] = [];
  const rewards = new Float64Array(returns.length);
  let place = 0;
  for (let at = 0; at < facts.length;) {
    const columnsAt = at + 1 + (facts[at] as number);
    const count = facts[columnsAt] ?? 0;
    const end = columnsAt + 1 + count;
    packed.push(1, ...facts.subarray(at, end), ...Array(count).keys());
    for (let step = 0; step < count; step++, place++) {
      const next = step + 1 < count ? (returns[place + 1] as number) : 0;
      rewards[place] = (returns[place] as number) - gamma * next;
    }
    at = end;
  }
  return { facts: Uint16Array.from(packed), rewards };
}

function gammaTurnOf({ config }: StoredRecord): number {
  const reward = isRecord(config) && isRecord(config['reward']) ? config['reward'] : {};
  return Number(reward['gammaTurn'] ?? 1);
}

type Row = unknown[];
/** The parts of the reward in format 1 of packed trajectories, in the order in which they are stored. */
const formerParts = ['rightAnswer', 'legalOperation', 'rewrite', 'finished'];
/** The roles in format 1, in the order of their numbers. */
const formerRoles = ['metaThinking', 'reasoning', 'pioneer', 'observer', 'debater', 'summariser'];

/** Converts a row of packed trajectories from format 1 to format 2. */
export function formerRow(row: Row): Row {
  const [index, group, problem, prompts, turns, finishCode, answer, isRight, reward, branch, opening] = row;
  const said = (turns as Row[]).map((turn) => {
    const [at, round, agent, role, tokens, text, isTruncated, isFinish, parts, ...rest] = turn;
    const named = Object.fromEntries(formerParts.map((name, i) => [name, (parts as Row)[i]]));
    return [
      at,
      round,
      agent,
      formerRoles[role as number] ?? role,
      tokens,
      text,
      isTruncated === 1,
      isFinish === 1,
      named,
      ...rest,
    ];
  });
  const more = branch || opening ? [{ ...(branch ? { branch } : {}), ...(opening ? { opening } : {}) }] : [];
  return [said, index, group, problem, prompts, finishCode, answer, isRight === 1, reward, ...more];
}

/**
 * Converts a stored run to the present format. Throws StorageError if the record is not a run, or has a newer format.
 */
export const migrateRun = (record: unknown, what: string) =>
  climb(record, what, { to: checkpointFormat, steps: runSteps });
/**
 * Converts a stored checkpoint to the present format. Throws StorageError if the record is not a checkpoint, or has a
 * newer format.
 */
export const migrateCheckpoint = (record: unknown, what: string) =>
  climb(record, what, { to: checkpointFormat, steps: checkpointSteps });

/**
 * Applies the migrations from the record's format up to `to`. Throws StorageError if the value is not a record of
 * Cothink, or has a newer format.
 */
export function climb(record: unknown, what: string, { to, steps }: { to: number; steps: Steps }): StoredRecord {
  if (typeof record !== 'object' || record === null) {
    throw new StorageError(spoken`${what}: expected a record, got ${quoted(record)}.`);
  }
  let current = record as StoredRecord;
  const { format } = current;
  if (!Number.isSafeInteger(format) || (format as number) < 1) {
    throw new StorageError(spoken`${what}: format: expected a whole number from 1 to ${to}, got ${quoted(format)}.`);
  }
  if ((format as number) > to) {
    throw new StorageError(
      spoken`${what}: format: expected at most ${to}, got ${String(format)}; reload the page to get the newest version of the page.`,
    );
  }
  for (let at = format as number; at < to; at++) {
    const step = steps[at];
    if (!step) throw new StorageError(spoken`${what}: format: there is no migration from ${at} to ${at + 1}.`);
    current = { ...step(current), format: at + 1 };
  }
  return current;
}
