import { symbolOf } from '#values/currency.ts';
import { formatMoney, toDecimal } from '#values/money.ts';
import { idOf } from '#values/stream-name.ts';
import {
  sampleAt,
  sampleCurrency,
  sampleEmail,
  sampleId,
  sampleInvoice,
  sampleLater,
  samplePrice,
} from './samples.ts';
import { declareTopics, type Announcement, type EventNamed, type TopicContext } from './topic.ts';

const abandoned = { abandonedCheckoutId: sampleId('abandoned checkout'), basketId: sampleId('basket') };
const recoveryLink = 'https://shop.example.com/checkout/recover/sample-token';
const person = { customerEmail: sampleEmail, customerName: 'Ada Lovelace' };

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

const ofRecord = (stream: string, data: Announcement['data']): Announcement => {
  const abandonedCheckoutId = idOf(stream);
  return {
    entityType: 'AbandonedCheckout',
    entityId: abandonedCheckoutId,
    data: { abandonedCheckoutId, ...data },
  };
};

type Linked = EventNamed<'CheckoutAbandoned' | 'RecoveryMailRequested'>;

const linkOf = ({ stream, data }: Linked, { recoveryLinkOf }: TopicContext): string =>
  recoveryLinkOf({ recordId: idOf(stream), issue: data.link.number });

type Mail = EventNamed<'RecoveryMailRequested'>;

/** What the mails of a kind say. */
const mailDue =
  (kind: Mail['data']['kind']) =>
  (event: Mail, context: TopicContext): Announcement | null => {
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
    description: 'A checkout has stood still for too long.',
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
    description: 'The first recovery e-mail is due.',
    sample: recovery(1),
    on: { RecoveryMailRequested: mailDue('first') },
  },
  'checkout.abandoned.reminder': {
    displayName: 'Cart Recovery - Reminder',
    description: 'The second recovery e-mail is due.',
    sample: recovery(2),
    on: { RecoveryMailRequested: mailDue('reminder') },
  },
  'checkout.abandoned.final': {
    displayName: 'Cart Recovery - Final Notice',
    description: 'The last recovery e-mail is due.',
    sample: recovery(3),
    on: { RecoveryMailRequested: mailDue('final') },
  },
  'checkout.recovered': {
    displayName: 'Checkout Recovered',
    description: 'A recovery link is used.',
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
    description: 'A recovered checkout ends in a purchase.',
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
