import {
  sampleAt,
  sampleCurrency,
  sampleEmail,
  sampleId,
  sampleInvoice,
  sampleLater,
  samplePrice,
} from './samples.ts';
import { declareTopics } from './topic.ts';

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

export const checkoutRecoveryTopics = declareTopics('Checkout Recovery', {
  'checkout.abandoned': {
    displayName: 'Checkout Abandoned',
    description: 'A checkout has stood still for too long.',
    sample: { ...abandoned, ...person, basketTotal: 25.92, currencyCode: sampleCurrency, recoveryLink },
  },
  'checkout.abandoned.first': {
    displayName: 'Cart Recovery - First Email',
    description: 'The first recovery e-mail is due.',
    sample: recovery(1),
  },
  'checkout.abandoned.reminder': {
    displayName: 'Cart Recovery - Reminder',
    description: 'The second recovery e-mail is due.',
    sample: recovery(2),
  },
  'checkout.abandoned.final': {
    displayName: 'Cart Recovery - Final Notice',
    description: 'The last recovery e-mail is due.',
    sample: recovery(3),
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
  },
});
