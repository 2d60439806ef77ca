import type { Recorded } from '#kernel/event.ts';
import { checkoutMails } from './checkout.mails.ts';
import { customerMails } from './customer.mails.ts';
import { digitalMails, fulfilmentMails, inventoryMails } from './goods.mails.ts';
import { invoiceMails, paymentMails } from './invoice.mails.ts';
import { orderMails } from './order.mails.ts';
import { shipmentMails } from './shipment.mails.ts';
import { webhookMails } from './webhook.mails.ts';
import type { MailFacts, MailMessage, MailTopic } from './mail-topic.ts';

const categories = {
  Orders: orderMails,
  Invoices: invoiceMails,
  Payments: paymentMails,
  Shipments: shipmentMails,
  Customers: customerMails,
  Inventory: inventoryMails,
  'Checkout Recovery': checkoutMails,
  'Digital Products': digitalMails,
  Fulfilment: fulfilmentMails,
  Webhooks: webhookMails,
} as const;

type KeysOf<Category> = Category extends object ? keyof Category & string : never;

/** The topics that a mail can be about (docs/rules/mails.md#topics). */
export type MailTopicKey = KeysOf<(typeof categories)[keyof typeof categories]>;

const named: ReadonlyMap<string, MailTopic & { readonly category: string }> = new Map(
  Object.entries(categories).flatMap(([category, topics]) =>
    Object.entries<MailTopic>(topics).map(([key, topic]) => [key, { ...topic, category }] as const),
  ),
);

export const mailTopicKeys = [...named.keys()] as readonly MailTopicKey[];

export const isMailTopicKey = (key: string): key is MailTopicKey => named.has(key);

/** A topic as staff choose it. */
export interface MailTopicRecord extends Pick<MailTopic, 'displayName' | 'description' | 'sample'> {
  readonly key: MailTopicKey;
  readonly category: string;
}

export const mailTopicRecords: readonly MailTopicRecord[] = [...named].map(
  ([key, { displayName, description, sample, category }]) => ({
    key: key as MailTopicKey,
    displayName,
    description,
    sample,
    category,
  }),
);

const records: ReadonlyMap<string, MailTopicRecord> = new Map(
  mailTopicRecords.map((record) => [record.key, record]),
);

export const mailTopicRecord = (key: MailTopicKey): MailTopicRecord => {
  const record = records.get(key);
  if (record === undefined) throw new RangeError(`no topic of mails: ${key}`);
  return record;
};

type Say = (event: never, facts: MailFacts) => MailMessage | null;

const rowsByType: ReadonlyMap<string, readonly (readonly [MailTopicKey, Say])[]> = new Map(
  [
    ...Map.groupBy(
      mailTopicKeys.flatMap((key) =>
        Object.entries(named.get(key)?.on ?? {}).map(([type, say]) => ({
          type,
          row: [key, say as Say] as const,
        })),
      ),
      ({ type }) => type,
    ),
  ].map(([type, entries]) => [type, entries.map(({ row }) => row)] as const),
);

/** The types of the events that a mail may tell of, and under which topics. */
export const mailedEventTypes: ReadonlyMap<string, readonly MailTopicKey[]> = new Map(
  [...rowsByType].map(([type, rows]) => [type, rows.map(([topic]) => topic)]),
);

/** What mails of a topic may say of an event; null: nothing. Pure: a replay says the same. */
export const mailMessageOf = (
  event: Recorded,
  topic: string | null,
  facts: MailFacts,
): MailMessage | null => {
  const [, say] = rowsByType.get(event.type)?.find(([known]) => known === topic) ?? [];
  return say?.(event as never, facts) ?? null;
};
