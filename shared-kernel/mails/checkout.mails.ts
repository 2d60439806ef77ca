import { sampleAt, sampleEmail, sampleId, sampleInvoice, sampleLater } from '#topics/samples.ts';
import type { EventNamed } from '#topics/topic.ts';
import { symbolOf } from '#values/currency.ts';
import { formatMoney, toDecimal } from '#values/money.ts';
import { idOf } from '#values/stream-name.ts';
import { goodsInWords } from './in-words.ts';
import { mailTopic, type MailFacts, type MailMessage } from './mail-topic.ts';
import { writtenOptions } from './order-notification.ts';

/** What all mails about an abandoned checkout say. Figures are in the currency that the basket was shown in. */
interface RecordNotification {
  readonly abandonedCheckoutId: string;
  readonly basketId: string | null;
  readonly customerEmail: string | null;
  readonly customerName: string | null;
  readonly basketTotal: number;
  readonly currencyCode: string;
  readonly currencySymbol: string;
  readonly formattedTotal: string;
  readonly itemCount: number;
}

/** What a mail says that is to win its reader back. */
interface AbandonedNotification extends RecordNotification {
  readonly lines: readonly {
    readonly name: string;
    readonly options: string | null;
    readonly quantity: number;
    readonly formattedLineTotal: string;
  }[];
  readonly recoveryLink: string;
  /** A page that asks once more, and takes the reader off these mails; null once the address is forgotten. */
  readonly unsubscribeLink: string | null;
}

interface RecoveryNotification extends AbandonedNotification {
  readonly emailSequenceNumber: number;
}

interface RecoveredNotification extends RecordNotification {
  readonly originalAbandonmentDate: string;
  readonly recoveredDate: string;
}

interface ConvertedNotification extends RecoveredNotification {
  readonly invoiceId: string;
  readonly orderTotal: number;
}

const record: RecordNotification = {
  abandonedCheckoutId: sampleId('abandoned checkout'),
  basketId: sampleId('basket'),
  customerEmail: sampleEmail,
  customerName: 'Ada Lovelace',
  basketTotal: 25.92,
  currencyCode: 'GBP',
  currencySymbol: '£',
  formattedTotal: '£25.92',
  itemCount: 2,
};

const abandoned: AbandonedNotification = {
  ...record,
  lines: [{ name: 'Stoneware mug', options: 'Colour: blue', quantity: 2, formattedLineTotal: '£18.00' }],
  recoveryLink: 'https://shop.example.com/checkout/recover/sample-token',
  unsubscribeLink: 'https://shop.example.com/api/shop/checkout/unsubscribe/sample-token',
};

const recovery = (emailSequenceNumber: number): RecoveryNotification => ({
  ...abandoned,
  emailSequenceNumber,
});

const recovered: RecoveredNotification = {
  ...record,
  originalAbandonmentDate: sampleAt,
  recoveredDate: sampleLater,
};

type Told = EventNamed<
  'CheckoutAbandoned' | 'RecoveryMailRequested' | 'CheckoutRecovered' | 'CheckoutConverted'
>;

const recordOf = ({ stream, data }: Told): RecordNotification => {
  const { basketId, email, customerName, figures } = data;
  const { total, currency, lineCount } = figures;
  return {
    abandonedCheckoutId: idOf(stream),
    ...{ basketId, customerEmail: email, customerName },
    basketTotal: toDecimal(total, currency),
    currencyCode: currency,
    currencySymbol: symbolOf(currency),
    formattedTotal: formatMoney(total, currency),
    itemCount: lineCount,
  };
};

const aboutRecord = <Notification extends object>(
  { stream }: Told,
  notification: Notification,
): MailMessage<Notification> => ({
  entityType: 'AbandonedCheckout',
  entityId: idOf(stream),
  notification,
});

type Left = EventNamed<'CheckoutAbandoned' | 'RecoveryMailRequested'>;

const abandonedOf = (event: Left, facts: MailFacts): AbandonedNotification => {
  const { lines, figures, link, email } = event.data;
  return {
    ...recordOf(event),
    lines: lines.map((line) => ({
      name: goodsInWords(line),
      options: writtenOptions(line.selectedOptions),
      quantity: line.quantity,
      formattedLineTotal: formatMoney(line.lineTotal, figures.currency),
    })),
    recoveryLink: facts.recoveryLinkOf({ recordId: idOf(event.stream), issue: link.number }),
    unsubscribeLink: email === null ? null : facts.unsubscribeLinkOf(email),
  };
};

type Due = EventNamed<'RecoveryMailRequested'>;

/** The mails of a kind, as they become due. */
const mailDue =
  (kind: Due['data']['kind']) =>
  (event: Due, facts: MailFacts): MailMessage<RecoveryNotification> | null => {
    if (event.data.kind !== kind) return null;
    return aboutRecord(event, { ...abandonedOf(event, facts), emailSequenceNumber: event.data.sequence });
  };

const recoveredOf = (
  event: EventNamed<'CheckoutRecovered' | 'CheckoutConverted'>,
  recoveredDate: string,
): RecoveredNotification => ({
  ...recordOf(event),
  originalAbandonmentDate: event.data.firstAbandonedAt,
  recoveredDate,
});

export const checkoutMails = {
  'checkout.abandoned': mailTopic<AbandonedNotification>({
    displayName: 'Checkout Abandoned',
    description: 'A checkout has stood still for too long.',
    sample: abandoned,
    on: { CheckoutAbandoned: (event, facts) => aboutRecord(event, abandonedOf(event, facts)) },
  }),
  'checkout.abandoned.first': mailTopic<RecoveryNotification>({
    displayName: 'Cart Recovery - First Email',
    description: 'The first recovery mail is due.',
    sample: recovery(1),
    on: { RecoveryMailRequested: mailDue('first') },
  }),
  'checkout.abandoned.reminder': mailTopic<RecoveryNotification>({
    displayName: 'Cart Recovery - Reminder',
    description: 'The second recovery mail is due.',
    sample: recovery(2),
    on: { RecoveryMailRequested: mailDue('reminder') },
  }),
  'checkout.abandoned.final': mailTopic<RecoveryNotification>({
    displayName: 'Cart Recovery - Final Notice',
    description: 'The last recovery mail is due.',
    sample: recovery(3),
    on: { RecoveryMailRequested: mailDue('final') },
  }),
  'checkout.recovered': mailTopic<RecoveredNotification>({
    displayName: 'Checkout Recovered',
    description: 'A recovery link is used for the first time.',
    sample: recovered,
    on: {
      CheckoutRecovered: (event) =>
        event.data.isFirst ? aboutRecord(event, recoveredOf(event, event.data.recoveredAt)) : null,
    },
  }),
  'checkout.converted': mailTopic<ConvertedNotification>({
    displayName: 'Recovery Converted',
    description: 'A recovered checkout ends in a purchase.',
    sample: { ...recovered, invoiceId: sampleInvoice.id, orderTotal: 25.92 },
    on: {
      CheckoutConverted: (event) => {
        const { recoveredAt, invoiceId } = event.data;
        // Bought without the link: there was nothing to win back.
        if (recoveredAt === null) return null;
        const notification = recoveredOf(event, recoveredAt);
        return aboutRecord(event, { ...notification, invoiceId, orderTotal: notification.basketTotal });
      },
    },
  }),
};
