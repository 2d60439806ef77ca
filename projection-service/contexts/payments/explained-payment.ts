import { streamOf } from '#values/stream-name.ts';
import { explainedView } from '../../engine/why/explained-view.ts';
import { paymentsProjection, type PaymentDocument } from './payments.projection.ts';

/** A payment is made of its invoice's stream. */
export const explainedPayment = explainedView<PaymentDocument>({
  view: paymentsProjection,
  mainFigure: 'amount',
  eventsOf: ({ document }) => ({ streams: document ? [streamOf.invoice(document.invoiceId)] : [] }),
});
