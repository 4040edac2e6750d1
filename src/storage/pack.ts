// The trajectories of one iteration as one blob: JSON rows without names, gzipped, then the log-probabilities as raw
// float32. Measured on 256 trajectories of five turns of four tokens: 31 kB in 7 ms, where gzipped JSON of the records
// takes 74 kB and 23 ms, as log-probabilities hardly compress as text.
import { Gunzip, gzipSync, strFromU8, strToU8 } from 'fflate';
import { StorageError } from '../base/errors.ts';
import { shortened } from '../base/quote.ts';
import { agentId, roles } from '../records/ids.ts';
import type { Problem } from '../records/problem.ts';
import {
  type Branch,
  type Reaction,
  rewardNames,
  type FinishCode,
  type RewardParts,
  type Trajectory,
  type Turn,
} from '../records/trajectory.ts';

const packFormat = 1;
/** Bytes of unpacked rows at most: a thousand times what an iteration of usual settings takes. */
const mostRowBytes = 64_000_000;
/** Bytes before the gzipped rows: format, then their length, both u32 little-endian. */
const prefix = 8;

type Flag = 0 | 1;
/** What only some turns have; those stored before it was known have none of it. */
type Extras = Pick<Turn, 'set' | 'isRight' | 'score' | 'feedback' | 'maskedFor' | 'influence' | 'belief' | 'reaction'>;
type TurnRow = [number, number, number, number, number[], string, Flag, Flag, number[], string, number, Extras?];
type Row = [
  number,
  number,
  Problem,
  number[][],
  TurnRow[],
  FinishCode,
  string | null,
  Flag,
  number,
  (Branch | null)?,
  Reaction?,
];

const flag = (is: boolean): Flag => (is ? 1 : 0);

/** Packs trajectories; log-probabilities are kept as float32. Throws StorageError when a turn's arrays differ in length. */
export function packTrajectories(trajectories: readonly Trajectory[]): Uint8Array {
  const logprobs: number[] = [];
  const rows = trajectories.map((trajectory): Row => {
    const turns = trajectory.turns.map((turn): TurnRow => {
      if (turn.tokens.length !== turn.logprobs.length) {
        throw new StorageError(
          `turn ${turn.index}: expected ${turn.tokens.length} logprobs, one a token, got ${turn.logprobs.length}.`,
        );
      }
      logprobs.push(...turn.logprobs);
      const row: TurnRow = [
        turn.index,
        turn.round,
        turn.agent,
        roles.indexOf(turn.role),
        turn.tokens,
        turn.text,
        flag(turn.isTruncated),
        flag(turn.isFinish),
        rewardNames.map((name) => turn.parts[name]),
        turn.reason,
        turn.reward,
      ];
      const extras = extrasOf(turn);
      if (Object.keys(extras).length > 0) row.push(extras);
      return row;
    });
    const { index, group, problem, prompts, finishCode, answer, isRight, reward, branch, opening } = trajectory;
    const row: Row = [index, group, problem, prompts, turns, finishCode, answer, flag(isRight), reward];
    if (branch || opening) row.push(branch ?? null);
    if (opening) row.push(opening);
    return row;
  });
  // A fixed time: the same trajectories give the same bytes.
  const text = gzipSync(strToU8(JSON.stringify(rows)), { level: 1, mtime: 0 });
  const packed = new Uint8Array(prefix + text.length + logprobs.length * 4);
  const view = new DataView(packed.buffer);
  view.setUint32(0, packFormat, true);
  view.setUint32(4, text.length, true);
  packed.set(text, prefix);
  logprobs.forEach((logprob, i) => view.setFloat32(prefix + text.length + i * 4, logprob, true));
  return packed;
}

/** Unpacks what `packTrajectories` packed; the fields are not looked at (validate.ts). Throws StorageError. */
export function unpackTrajectories(packed: Uint8Array): Trajectory[] {
  if (packed.length < prefix) throw damaged(`at least ${prefix} bytes`, packed.length);
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const format = view.getUint32(0, true);
  if (format !== packFormat) throw damaged(`format ${packFormat}`, format);
  const end = prefix + view.getUint32(4, true);
  if (end > packed.length) throw damaged(`${end} bytes`, packed.length);
  let rows: Row[];
  try {
    rows = JSON.parse(strFromU8(gunzipWithin(packed.subarray(prefix, end)))) as Row[];
  } catch (cause) {
    throw cause instanceof StorageError ? cause : damaged('gzipped rows', shortened((cause as Error).message));
  }
  let at = end;
  const readLogprob = () => {
    if (at + 4 > packed.length) throw damaged('a log-probability for each token', `${packed.length} bytes`);
    at += 4;
    return view.getFloat32(at - 4, true);
  };
  try {
    const trajectories = rows.map((row) => trajectoryOf(row, readLogprob));
    if (at !== packed.length) throw damaged(`${at} bytes`, packed.length);
    return trajectories;
  } catch (cause) {
    throw cause instanceof StorageError ? cause : damaged('rows of trajectories', (cause as Error).message);
  }
}

/** Unzips no more than rows can need. Throws StorageError for more. */
function gunzipWithin(zipped: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  let size = 0;
  const gunzip = new Gunzip((part) => {
    size += part.length;
    if (size > mostRowBytes) throw damaged(`rows of at most ${mostRowBytes} bytes`, 'more');
    parts.push(part);
  });
  // Zipped bytes a step: each grows by a thousand at most, so little is unzipped beyond the bound.
  const step = 16_384;
  for (let at = 0; at < zipped.length; at += step)
    gunzip.push(zipped.subarray(at, at + step), at + step >= zipped.length);
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function trajectoryOf(row: Row, readLogprob: () => number): Trajectory {
  const [index, group, problem, prompts, turns, finishCode, answer, isRight, reward, branch, opening] = row;
  return {
    index,
    group,
    problem,
    prompts,
    turns: turns.map((turn) => turnOf(turn, readLogprob)),
    finishCode,
    answer,
    isRight: isRight === 1,
    reward: reward ?? Number.NaN,
    ...(branch && { branch }),
    ...(opening && { opening }),
  };
}

function extrasOf({ set, isRight, score, feedback, maskedFor, influence, belief, reaction }: Turn): Extras {
  return {
    ...(set !== undefined && { set }),
    ...(isRight !== undefined && { isRight }),
    ...(score !== undefined && { score }),
    ...(feedback !== undefined && { feedback }),
    ...(maskedFor && { maskedFor }),
    ...(influence !== undefined && { influence }),
    ...(belief !== undefined && { belief }),
    ...(reaction && { reaction }),
  };
}

function turnOf(row: TurnRow, readLogprob: () => number): Turn {
  const [index, round, agent, role, tokens, text, isTruncated, isFinish, parts, reason, reward, extras] = row;
  const name = roles[role];
  if (name === undefined) throw damaged(`a role below ${roles.length}`, role);
  return {
    index,
    round,
    agent: agentId(agent),
    role: name,
    tokens,
    logprobs: tokens.map(readLogprob),
    text,
    isTruncated: isTruncated === 1,
    isFinish: isFinish === 1,
    parts: Object.fromEntries(rewardNames.map((part, i) => [part, parts[i] ?? Number.NaN])) as RewardParts,
    reason,
    reward: reward ?? Number.NaN,
    // JSON has no NaN; of these only a number can have been one.
    ...Object.fromEntries(Object.entries(extras ?? {}).map(([name, value]) => [name, value ?? Number.NaN])),
  };
}

const damaged = (expected: string, got: unknown) =>
  new StorageError(`packed trajectories: expected ${expected}, got ${String(got)}; the record is damaged.`);
