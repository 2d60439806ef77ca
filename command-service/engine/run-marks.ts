import type { Logger } from 'pino';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore, Filter } from '#ports/document-store.ts';

/** Says in the state store who is doing what is to be done once. */
export interface RunMark extends Document {
  readonly instance: string;
  /** Whose run it is: the next owner counts on. */
  readonly run: number;
  /** Real time, milliseconds; it lapses with its process. */
  readonly leasedUntil: number;
}

export interface RunMarkOptions {
  readonly stateStore: DocumentStore;
  /** New with every start of a process. */
  readonly instanceId: string;
  /** The process is the only one that can write the state store: what an earlier one was running died with it. */
  readonly isOnlyWriter: boolean;
  readonly log?: Pick<Logger, 'warn'>;
  /** Real time in milliseconds, and how long things take in it. */
  readonly realTime?: () => number;
  readonly leaseMs?: number;
  readonly pollMs?: number;
}

export interface RunMarks<Mark extends RunMark> {
  /** The fields of a first run, by this process. */
  begin(): Omit<RunMark, '_id'>;
  /** A run whose lease has lapsed, at once when its process cannot be alive any more; null for any other. */
  takeOver(mark: Mark): Promise<Mark | null>;
  /** Renews the lease until the function that it returns is called. */
  keepLease(mark: Mark): () => void;
}

/** The marks of a collection; `unfinished` lists those that have not ended. */
export const createRunMarks = <Mark extends RunMark>(
  collection: string,
  unfinished: Filter,
  { stateStore, instanceId, isOnlyWriter, log, realTime = Date.now, leaseMs = 5000 }: RunMarkOptions,
): RunMarks<Mark> => ({
  begin: () => ({ instance: instanceId, run: 1, leasedUntil: realTime() + leaseMs }),
  takeOver: async ({ _id, instance, run, leasedUntil }) => {
    const isDead = isOnlyWriter && instance !== instanceId;
    if (!isDead && leasedUntil > realTime()) return null;
    return stateStore.updateIf<Mark>(
      collection,
      { ...unfinished, _id, run, leasedUntil },
      { set: { instance: instanceId, leasedUntil: realTime() + leaseMs }, increment: { run: 1 } },
    );
  },
  keepLease: ({ _id, run }) => {
    const renew = (): void => {
      stateStore
        .updateIf(collection, { ...unfinished, _id, run }, { set: { leasedUntil: realTime() + leaseMs } })
        .catch((error: unknown) =>
          log?.warn({ err: error, collection }, 'the lease of a run was not renewed'),
        );
    };
    const timer = setInterval(renew, leaseMs / 3);
    timer.unref();
    return () => clearInterval(timer);
  },
});
