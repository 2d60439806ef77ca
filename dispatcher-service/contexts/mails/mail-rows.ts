import { isoInstant } from '#kernel/clock.ts';
import type { DocumentStore, Filter, FindOptions } from '#ports/document-store.ts';
import { requeue, type Transition } from '#topics/delivery-steps.ts';
import { configurationOfQueue, mailsCollection, type MailDelivery } from '#mails/mail-delivery.ts';

export const getMail = (stateStore: DocumentStore, id: string): Promise<MailDelivery | null> =>
  stateStore.get<MailDelivery>(mailsCollection, id);

export const findMails = (
  stateStore: DocumentStore,
  options: FindOptions,
): Promise<readonly MailDelivery[]> => stateStore.find<MailDelivery>(mailsCollection, options);

export const countMails = (stateStore: DocumentStore, filter: Filter): Promise<number> =>
  stateStore.count(mailsCollection, filter);

/** Takes a step of a mail's life; null when it no longer stands where the step begins. */
export const takeStep = (
  stateStore: DocumentStore,
  { when, patch }: Transition,
): Promise<MailDelivery | null> => stateStore.updateIf<MailDelivery>(mailsCollection, when, patch);

export const dueFilter = (now: number): Filter => ({ dueAt: { lte: isoInstant(now) } });

/** Ids of a queue's mails that wait for their first attempt, oldest first. */
export const untriedMails = async (
  stateStore: DocumentStore,
  queue: string,
  limit: number,
): Promise<readonly string[]> => {
  const filter: Filter = { configurationId: configurationOfQueue(queue), status: 'Pending' };
  const rows = await findMails(stateStore, { filter, sort: [['dateCreated', 1]], limit });
  return rows.map(({ _id }) => _id);
};

/** How long the oldest mail has been due, in seconds; 0 when there is none. */
export const oldestDueSeconds = async (stateStore: DocumentStore, now: number): Promise<number> => {
  const [oldest] = await findMails(stateStore, { filter: dueFilter(now), sort: [['dueAt', 1]], limit: 1 });
  return oldest?.dueAt ? (now - Date.parse(oldest.dueAt)) / 1000 : 0;
};

const PAGE = 100;

/** Takes back unfinished attempts, up to a page of them at a time. Returns how many. */
export const recoverMails = async (
  stateStore: DocumentStore,
  filter: Filter,
  now: number,
): Promise<number> => {
  for (let recovered = 0; ;) {
    const stuck = await findMails(stateStore, { filter, limit: PAGE });
    const steps = await Promise.all(stuck.map((row) => takeStep(stateStore, requeue(row, now))));
    const taken = steps.filter((row) => row !== null).length;
    recovered += taken;
    if (stuck.length < PAGE || taken === 0) return recovered;
  }
};
