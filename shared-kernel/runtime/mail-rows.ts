import type { IndexSpec } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { START, type EventStore } from '#ports/event-store.ts';
import { declareMailTotals } from './mail-totals.ts';
import { checkpointCollection } from '#topics/webhook-delivery.ts';
import { mailFollower, mailsCollection, type KeptMail } from '#mails/mail-delivery.ts';

const indexes: readonly IndexSpec[] = [
  { fields: ['configurationId', 'dateCreated'] },
  { fields: ['configurationId', 'status', 'dateCreated'] },
  { fields: ['configurationId', 'status', 'dateCompleted'] },
  { fields: ['dueAt'] },
  { fields: ['status', 'dateCreated'] },
  { fields: ['subject'] },
];

/**
 * Has mails begin with what happens from now on, in whichever service is the first to start; what was before is told by
 * none. Repeatable. Errors: `EngineUnavailable`.
 */
export const declareMails = async (
  stateStore: Pick<DocumentStore, 'declare' | 'insertIfAbsent'>,
  log: Pick<EventStore, 'head'>,
): Promise<void> => {
  await stateStore.declare(mailsCollection, indexes);
  await declareMailTotals(stateStore);
  await stateStore.declare(checkpointCollection);
  const mark = { _id: mailFollower, position: await log.head(), idsSince: START };
  await stateStore.insertIfAbsent(checkpointCollection, mark);
};

/** The one way in which what a mail says is kept. */
export const textOfMail = (kept: KeptMail): string => JSON.stringify(kept);

export const mailOfText = (text: string): KeptMail => JSON.parse(text) as KeptMail;
