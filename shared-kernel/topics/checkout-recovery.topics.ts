import { z } from 'zod';
import { symbolOf } from '#values/currency.ts';
import { formatMoney, toDecimal } from '#values/money.ts';
import { idOf } from '#values/stream-name.ts';
import { count, currencyCode, guid, instant, money, personalText, text } from './data-fields.ts';
import {
  sampleAt,
  sampleCurrency,
  sampleEmail,
  sampleId,
  sampleInvoice,
  sampleLater,
  samplePrice,
} from './samples.ts';
import { declareTopics, type Announce, type EventNamed, type TopicContext } from './topic.ts';

const abandoned = { abandonedCheckoutId: sampleId('abandoned checkout'), basketId: sampleId('basket') };
const recoveryLink = 'https://shop.example.com/checkout/recover/sample-token';
const person = { customerEmail: sampleEmail, customerName: 'Ada Lovelace' };

const entityType = 'AbandonedCheckout';
const record = { abandonedCheckoutId: guid, basketId: guid.nullable() };
const whose = { customerEmail: personalText, customerName: personalText };
const price = { currencyCode, currencySymbol: text, formattedTotal: text };
const link = text.describe('Restores the basket: a secret of the customer');
const dates = { originalAbandonmentDate: instant, recoveredDate: instant };

const recoveryData = z.strictObject({
  ...{ ...record, ...whose, basketTotal: money, recoveryLink: link },
  ...{ emailSequenceNumber: z.int().min(1).max(3), itemCount: count, ...price },
});

const recovery = (emailSequenceNumber: number) => ({
  ...abandoned,
  ...person,
  basketTotal: 25.92,
  recoveryLink,
  emailSequenceNumber,
  itemCount: 2,
  ...samplePrice,
});

type Figures = EventNamed<'CheckoutAbandoned'>['data']['figures'];

const totalOf = ({ total, currency }: Figures): number => toDecimal(total, currency);

const priceOf = ({ total, currency }: Figures) => ({
  currencyCode: currency,
  currencySymbol: symbolOf(currency),
  formattedTotal: formatMoney(total, currency),
});

const ofRecord = <Data extends object>(stream: string, data: Data) => {
  const abandonedCheckoutId = idOf(stream);
  return { entityId: abandonedCheckoutId, data: { abandonedCheckoutId, ...data } };
};

type Linked = EventNamed<'CheckoutAbandoned' | 'RecoveryMailRequested'>;

const linkOf = ({ stream, data }: Linked, { recoveryLinkOf }: TopicContext): string =>
  recoveryLinkOf({ recordId: idOf(stream), issue: data.link.number });

type Mail = EventNamed<'RecoveryMailRequested'>;

/** What the mails of a kind say. */
const mailDue =
  (kind: Mail['data']['kind']): Announce<'RecoveryMailRequested', z.output<typeof recoveryData>> =>
  (event, context) => {
    const { basketId, email: customerEmail, customerName, figures, sequence } = event.data;
    if (event.data.kind !== kind) return null;
    return ofRecord(event.stream, {
      ...{ basketId, customerEmail, customerName },
      basketTotal: totalOf(figures),
      recoveryLink: linkOf(event, context),
      emailSequenceNumber: sequence,
      itemCount: figures.lineCount,
      ...priceOf(figures),
    });
  };

export const checkoutRecoveryTopics = declareTopics('Checkout Recovery', {
  'checkout.abandoned': {
    displayName: 'Checkout Abandoned',
    description: 'A checkout with an e-mail address is found to have stood still for too long.',
    entityType,
    schema: z.strictObject({
      ...{ ...record, ...whose, basketTotal: money, currencyCode, recoveryLink: link },
    }),
    sample: { ...abandoned, ...person, basketTotal: 25.92, currencyCode: sampleCurrency, recoveryLink },
    on: {
      CheckoutAbandoned: (event, context) => {
        const { basketId, email: customerEmail, customerName, figures } = event.data;
        return ofRecord(event.stream, {
          ...{ basketId, customerEmail, customerName },
          basketTotal: totalOf(figures),
          currencyCode: figures.currency,
          recoveryLink: linkOf(event, context),
        });
      },
    },
  },
  'checkout.abandoned.first': {
    displayName: 'Cart Recovery - First Email',
    description: 'The first recovery e-mail is due, whether or not the shop sends one.',
    entityType,
    schema: recoveryData,
    sample: recovery(1),
    on: { RecoveryMailRequested: mailDue('first') },
  },
  'checkout.abandoned.reminder': {
    displayName: 'Cart Recovery - Reminder',
    description: 'The second recovery e-mail is due, whether or not the shop sends one.',
    entityType,
    schema: recoveryData,
    sample: recovery(2),
    on: { RecoveryMailRequested: mailDue('reminder') },
  },
  'checkout.abandoned.final': {
    displayName: 'Cart Recovery - Final Notice',
    description: 'The last recovery e-mail is due, whether or not the shop sends one.',
    entityType,
    schema: recoveryData,
    sample: recovery(3),
    on: { RecoveryMailRequested: mailDue('final') },
  },
  'checkout.recovered': {
    displayName: 'Checkout Recovered',
    description: 'A recovery link is used for the first time.',
    entityType,
    schema: z.strictObject({
      ...record,
      customerEmail: personalText,
      basketTotal: money,
      ...dates,
      ...price,
    }),
    sample: {
      ...abandoned,
      customerEmail: sampleEmail,
      basketTotal: 25.92,
      originalAbandonmentDate: sampleAt,
      recoveredDate: sampleLater,
      ...samplePrice,
    },
    on: {
      CheckoutRecovered: ({ stream, data }) => {
        const { basketId, email: customerEmail, figures, firstAbandonedAt, recoveredAt, isFirst } = data;
        if (!isFirst) return null;
        return ofRecord(stream, {
          ...{ basketId, customerEmail, basketTotal: totalOf(figures) },
          ...{ originalAbandonmentDate: firstAbandonedAt, recoveredDate: recoveredAt },
          ...priceOf(figures),
        });
      },
    },
  },
  'checkout.converted': {
    displayName: 'Recovery Converted',
    description: 'The sale of a checkout is confirmed that its recovery link had brought back.',
    entityType,
    schema: z.strictObject({
      ...{ abandonedCheckoutId: guid, invoiceId: guid, customerEmail: personalText },
      ...{ orderTotal: money, ...dates, ...price },
    }),
    sample: {
      abandonedCheckoutId: abandoned.abandonedCheckoutId,
      invoiceId: sampleInvoice.id,
      customerEmail: sampleEmail,
      orderTotal: 25.92,
      originalAbandonmentDate: sampleAt,
      recoveredDate: sampleLater,
      ...samplePrice,
    },
    on: {
      CheckoutConverted: ({ stream, data }) => {
        const { invoiceId, email: customerEmail, figures, firstAbandonedAt, recoveredAt } = data;
        // Bought without the link: there was nothing to win back.
        if (recoveredAt === null) return null;
        return ofRecord(stream, {
          ...{ invoiceId, customerEmail, orderTotal: totalOf(figures) },
          ...{ originalAbandonmentDate: firstAbandonedAt, recoveredDate: recoveredAt },
          ...priceOf(figures),
        });
      },
    },
  },
});

/** Their messages carry a link that opens a basket. */
export const topicsWithLinks: ReadonlySet<string> = new Set(
  Object.entries(checkoutRecoveryTopics.topics).flatMap(([topic, { sample }]) =>
    'recoveryLink' in sample ? [topic] : [],
  ),
);
