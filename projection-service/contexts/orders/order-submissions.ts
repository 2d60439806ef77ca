import type { OrderFold } from './order-fold.ts';
import type { OrderDocument, OrderFulfilment } from './order.document.ts';

export const notSubmitted: OrderFulfilment = {
  fulfilmentProviderReference: null,
  fulfilmentSubmittedAt: null,
  fulfilmentErrorMessage: null,
  fulfilmentRetryCount: 0,
};

const withFulfilment = (
  document: OrderDocument,
  orderId: string,
  changes: Partial<OrderFulfilment>,
): Pick<OrderDocument, 'fulfilments'> => ({
  fulfilments: {
    ...document.fulfilments,
    [orderId]: { ...(document.fulfilments[orderId] ?? notSubmitted), ...changes },
  },
});

/** What providers that are to send orders make of the document of an invoice (docs/rules/fulfilment.md#submission). */
export const submissionFold: OrderFold = {
  FulfilmentSubmitted: (document, { recordedAt, data: { orderId, reference, submittedAt } }) =>
    document && {
      ...document,
      dateUpdated: recordedAt,
      ...withFulfilment(document, orderId, {
        fulfilmentProviderReference: reference,
        fulfilmentSubmittedAt: submittedAt,
        fulfilmentErrorMessage: null,
      }),
    },
  FulfilmentAttemptFailed: (document, { recordedAt, data: { orderId, message, retryCount } }) =>
    document && {
      ...document,
      dateUpdated: recordedAt,
      ...withFulfilment(document, orderId, {
        fulfilmentErrorMessage: message,
        fulfilmentRetryCount: retryCount,
      }),
    },
};
