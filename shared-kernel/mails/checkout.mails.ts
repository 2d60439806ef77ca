import { sampleAt, sampleEmail, sampleId, sampleInvoice, sampleLater } from '#topics/samples.ts';
import { mailTopic } from './mail-topic.ts';

interface RecoveredLine {
  readonly name: string;
  readonly quantity: number;
  readonly formattedLineTotal: string;
}

/** What all mails about an abandoned checkout say. Figures are in the currency that the basket was shown in. */
export interface AbandonedNotification {
  readonly abandonedCheckoutId: string;
  readonly basketId: string | null;
  readonly customerEmail: string | null;
  readonly customerName: string | null;
  readonly basketTotal: number;
  readonly currencyCode: string;
  readonly currencySymbol: string;
  readonly formattedTotal: string;
  readonly itemCount: number;
  readonly lines: readonly RecoveredLine[];
  /** Null where it leads nowhere any more. */
  readonly recoveryLink: string | null;
}

export interface RecoveryNotification extends AbandonedNotification {
  readonly emailSequenceNumber: number;
  /** A page that asks once more, and takes the reader off these mails. */
  readonly unsubscribeLink: string | null;
}

export interface RecoveredNotification extends AbandonedNotification {
  readonly originalAbandonmentDate: string;
  readonly recoveredDate: string;
}

export interface ConvertedNotification extends RecoveredNotification {
  readonly invoiceId: string;
  readonly orderTotal: number;
}

const abandoned: AbandonedNotification = {
  abandonedCheckoutId: sampleId('abandoned checkout'),
  basketId: sampleId('basket'),
  customerEmail: sampleEmail,
  customerName: 'Ada Lovelace',
  basketTotal: 25.92,
  currencyCode: 'GBP',
  currencySymbol: '£',
  formattedTotal: '£25.92',
  itemCount: 2,
  lines: [{ name: 'Stoneware mug', quantity: 2, formattedLineTotal: '£18.00' }],
  recoveryLink: 'https://shop.example.com/checkout/recover/sample-token',
};

const recovery = (emailSequenceNumber: number): RecoveryNotification => ({
  ...abandoned,
  emailSequenceNumber,
  unsubscribeLink: 'https://shop.example.com/checkout/unsubscribe/sample-token',
});

const recovered: RecoveredNotification = {
  ...abandoned,
  originalAbandonmentDate: sampleAt,
  recoveredDate: sampleLater,
};

export const checkoutMails = {
  'checkout.abandoned': mailTopic<AbandonedNotification>({
    displayName: 'Checkout Abandoned',
    description: 'A checkout has stood still for too long.',
    sample: abandoned,
    on: {},
  }),
  'checkout.abandoned.first': mailTopic<RecoveryNotification>({
    displayName: 'Cart Recovery - First Email',
    description: 'The first recovery mail is due.',
    sample: recovery(1),
    on: {},
  }),
  'checkout.abandoned.reminder': mailTopic<RecoveryNotification>({
    displayName: 'Cart Recovery - Reminder',
    description: 'The second recovery mail is due.',
    sample: recovery(2),
    on: {},
  }),
  'checkout.abandoned.final': mailTopic<RecoveryNotification>({
    displayName: 'Cart Recovery - Final Notice',
    description: 'The last recovery mail is due.',
    sample: recovery(3),
    on: {},
  }),
  'checkout.recovered': mailTopic<RecoveredNotification>({
    displayName: 'Checkout Recovered',
    description: 'A recovery link is used.',
    sample: recovered,
    on: {},
  }),
  'checkout.converted': mailTopic<ConvertedNotification>({
    displayName: 'Recovery Converted',
    description: 'A recovered checkout ends in a purchase.',
    sample: { ...recovered, invoiceId: sampleInvoice.id, orderTotal: 25.92 },
    on: {},
  }),
};
