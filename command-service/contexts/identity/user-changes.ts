import type { Logger } from 'pino';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { Streams } from '#command/engine/streams.ts';
import { defined } from '#kernel/defined.ts';
import { newId } from '#kernel/ids.ts';
import type { Reached } from '#kernel/reached.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { backofficeUsers, type BackofficeUser } from '#runtime/backoffice-users.ts';
import type { UserChange } from './backoffice-user.decider.ts';
import { backofficeUserStream } from './backoffice-user.stream.ts';

/** A change that the record has, and the log perhaps not yet. */
export interface UnrecordedChange {
  readonly id: string;
  readonly changedAt: string;
  readonly changes: readonly UserChange[];
  readonly by: Pick<CommandMeta, 'correlationId' | 'causationId' | 'actor'>;
}

/** A user's record, with what the log does not say of it yet: both are written at once. */
export interface UserRecord extends BackofficeUser {
  /** How many changes there were; missing in what an older release wrote. */
  readonly changes?: number;
  /** The oldest first. */
  readonly unrecorded?: readonly UnrecordedChange[];
  readonly isUnrecorded?: boolean;
  /** The command that added it, where a repeat can be told. */
  readonly addedUnder?: string;
}

/** Brings the log up to date with a user's record. */
export type RecordChanges = (user: UserRecord, reached?: Reached) => Promise<void>;

/** Changes that wait for the log: more come only while it is away. Beyond that a user can be shut out, and no more. */
const MOST_UNRECORDED = 100;

const shutsOut = (changes: readonly UserChange[]): boolean => changes.some(({ what }) => what === 'disabled');

/** The fields that say what is to be recorded of a change, to be written together with it. */
export const unrecordedAfter = (
  before: Pick<UserRecord, 'changes' | 'unrecorded'>,
  { changes, changedAt }: Pick<UnrecordedChange, 'changes' | 'changedAt'>,
  { correlationId, causationId, actor }: CommandMeta,
) => {
  const { unrecorded = [] } = before;
  if (unrecorded.length >= MOST_UNRECORDED && !shutsOut(changes))
    throw new EngineUnavailable('the log has not taken earlier changes of this user yet');
  const change: UnrecordedChange = {
    id: newId(),
    changedAt,
    changes,
    by: { correlationId, causationId, actor },
  };
  return { changes: (before.changes ?? 0) + 1, unrecorded: [...unrecorded, change], isUnrecorded: true };
};

/** A record as it was found: nothing is written over what another process has changed since. */
export const asFound = ({ _id, changes }: UserRecord) => ({ _id, changes: changes ?? { exists: false } });

/** Appends each change once: it is known by its id. Errors: `EngineUnavailable`. */
const append = async (streams: Streams, user: UserRecord, reached: Reached | undefined): Promise<void> => {
  for (const { id, changes, changedAt, by } of user.unrecorded ?? []) {
    const meta = { ...by, commandId: id, ...defined({ reached }) };
    const command = { type: 'RecordUserChanges', changes, changedAt } as const;
    await streams.send(backofficeUserStream, user._id, command, meta);
  }
};

/**
 * Users are shut out also while the log is away: the change holds, and is recorded by the job
 * `record-user-changes` once the log is back.
 */
export const createRecordChanges =
  ({
    streams,
    stateStore,
    log,
  }: {
    readonly streams: Streams;
    readonly stateStore: DocumentStore;
    readonly log: Pick<Logger, 'warn'>;
  }): RecordChanges =>
  async (user, reached) => {
    if (!user.isUnrecorded) return;
    try {
      await append(streams, user, reached);
    } catch (error) {
      if (!(error instanceof EngineUnavailable || error instanceof Rejection)) throw error;
      log.warn({ user: user._id, err: error }, 'a change of a backoffice user is not recorded yet');
      return;
    }
    const patch = { set: { isUnrecorded: false }, unset: ['unrecorded'] };
    await stateStore.updateIf(backofficeUsers, asFound(user), patch);
  };
