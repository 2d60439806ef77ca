import type { DocumentStore, Filter } from '#ports/document-store.ts';
import { requeue } from '#topics/delivery-steps.ts';
import { configurationOfQueue, mailsCollection, type MailDelivery } from '#mails/mail-delivery.ts';
import { deliveryTable } from '../../engine/delivery-table.ts';

export const mailTable = deliveryTable<MailDelivery>(mailsCollection, requeue);

export const {
  get: getMail,
  find: findMails,
  count: countMails,
  takeStep,
  claim: claimMail,
  oldestDueSeconds,
  recover: recoverMails,
} = mailTable;

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
