import type { Document } from '#kernel/projection.ts';
import type { DocumentStore, Filter } from '#ports/document-store.ts';
import { mailsCollection, type MailDelivery } from '#mails/mail-delivery.ts';

/** What became of the mails of a configuration. */
export interface MailTotals {
  readonly totalSent: number;
  readonly totalFailed: number;
  readonly lastSentUtc: string | null;
}

/** What the mails came to that are purged; `_id` is the configuration's. */
interface PurgedTotals extends MailTotals, Document {
  /** Instant: mails that were queued before are counted in here, and no row of theirs counts. */
  readonly before: string;
}

const collection = 'mailTotals';
const none = { totalSent: 0, totalFailed: 0, lastSentUtc: null, before: '' };

/** Errors: `EngineUnavailable`. */
export const declareMailTotals = (stateStore: Pick<DocumentStore, 'declare'>): Promise<void> =>
  stateStore.declare(collection);

const purgedOf = async (stateStore: DocumentStore, configurationId: string): Promise<PurgedTotals> =>
  (await stateStore.get<PurgedTotals>(collection, configurationId)) ?? { _id: configurationId, ...none };

const later = (one: string | null, other: string | null): string | null =>
  (one ?? '') > (other ?? '') ? one : other;

const latestSent = async (
  stateStore: DocumentStore,
  configurationId: string,
  between: Filter,
): Promise<string | null> => {
  const filter: Filter = { configurationId, status: 'Succeeded', ...between };
  const sort = [['dateCompleted', -1]] as const;
  const [latest] = await stateStore.find<MailDelivery>(mailsCollection, { filter, sort, limit: 1 });
  return latest?.dateCompleted ?? null;
};

/** What the rows of a stretch of time add to it. */
const withRows = async (
  stateStore: DocumentStore,
  { _id: configurationId, ...purged }: PurgedTotals,
  until: string | null,
): Promise<MailTotals> => {
  const { before: gte } = purged;
  const between: Filter = { dateCreated: until === null ? { gte } : { gte, lt: until } };
  const counted = (status: string): Promise<number> =>
    stateStore.count(mailsCollection, { configurationId, status, ...between });
  return {
    totalSent: purged.totalSent + (await counted('Succeeded')),
    totalFailed: purged.totalFailed + (await counted('Failed')),
    lastSentUtc: later(purged.lastSentUtc, await latestSent(stateStore, configurationId, between)),
  };
};

/** The totals of a configuration, counted from the rows and from what was purged. Errors: `EngineUnavailable`. */
export const totalsOf = async (stateStore: DocumentStore, configurationId: string): Promise<MailTotals> =>
  withRows(stateStore, await purgedOf(stateStore, configurationId), null);

const waiting: readonly string[] = ['Pending', 'Sending', 'Retrying'];

/** The instant up to which all mails of a configuration are done with, `before` at most. */
const doneBefore = async (
  stateStore: DocumentStore,
  configurationId: string,
  before: string,
): Promise<string> => {
  const oldest = await Promise.all(
    waiting.map(async (status) => {
      const filter: Filter = { configurationId, status, dateCreated: { lt: before } };
      const sort = [['dateCreated', 1]] as const;
      const [row] = await stateStore.find<MailDelivery>(mailsCollection, { filter, sort, limit: 1 });
      return row?.dateCreated ?? before;
    }),
  );
  return oldest.reduce((one, other) => (one < other ? one : other));
};

/**
 * Keeps what the mails of a configuration came to before their rows are deleted. Killed in between, the same rows are
 * not counted twice. Returns the instant before which they may go. Errors: `EngineUnavailable`.
 */
export const keepTotals = async (
  stateStore: DocumentStore,
  configurationId: string,
  before: string,
): Promise<string> => {
  const purged = await purgedOf(stateStore, configurationId);
  const until = await doneBefore(stateStore, configurationId, before);
  if (until <= purged.before) return purged.before;
  const totals = await withRows(stateStore, purged, until);
  const set = { ...totals, before: until };
  await stateStore.insertIfAbsent(collection, { _id: configurationId, ...none });
  const isKept = await stateStore.updateIf(
    collection,
    { _id: configurationId, before: purged.before },
    { set },
  );
  return isKept ? until : purged.before;
};
