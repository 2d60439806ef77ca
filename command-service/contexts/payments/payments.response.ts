import type { PayResponse, PaymentResponse } from '#contracts/checkout.contract.ts';
import type { Payment } from '../invoices/invoice.state.ts';
import type { Authorization } from '../invoices/payments/authorizations.state.ts';
import type { KnownOutcome } from './charging/payment-outcome.ts';
import type { BegunPayment } from './payments.actions.ts';

export const completedResponse = (invoiceId: string, payment: Payment | undefined): PaymentResponse => {
  const confirmationUrl = `/checkout/confirmation/${invoiceId}`;
  return {
    success: true,
    code: null,
    message: 'The payment is complete.',
    errorMessage: null,
    invoiceId,
    paymentId: payment?.paymentId ?? null,
    transactionId: payment?.transactionId ?? null,
    status: 'Completed',
    redirectUrl: confirmationUrl,
    clientSecret: null,
    confirmationUrl,
    paymentMethodSaved: typeof payment?.keptMethodId === 'string',
  };
};

/** The order stands; the money is set aside, and taken later. */
const authorizedResponse = (
  invoiceId: string,
  { paymentId, transactionId, keptMethodId }: Authorization,
): PaymentResponse => ({
  ...completedResponse(invoiceId, undefined),
  message: 'The payment is authorised.',
  ...{ paymentId, transactionId, status: 'Authorized', paymentMethodSaved: keptMethodId !== null },
});

/** The order stands, and is sent before the money is there. */
export const onAccountResponse = (invoiceId: string): PaymentResponse => {
  const confirmationUrl = `/checkout/confirmation/${invoiceId}`;
  return {
    ...withoutPayment(invoiceId, 'Pending', 'The order is placed on account.'),
    redirectUrl: confirmationUrl,
    confirmationUrl,
  };
};

/** The order stands, and is sent once the money is there. */
export const promisedResponse = (invoiceId: string): PaymentResponse => {
  const confirmationUrl = `/checkout/confirmation/${invoiceId}`;
  const message = 'The order is placed. It is sent once the payment has arrived.';
  return {
    ...withoutPayment(invoiceId, 'Pending', message),
    redirectUrl: confirmationUrl,
    confirmationUrl,
  };
};

/** What is left to do for a payment that was begun. */
export const begunResponse = (begun: BegunPayment): PayResponse => {
  const { invoiceId, provider, method, started, paid, heldUntil } = begun;
  const session = started?.kind === 'started' ? started.session : null;
  const problem = started?.kind === 'refused' ? started.message : null;
  const sdkConfig = { ...session?.sdkConfig };
  return {
    success: problem === null,
    code: problem === null ? null : 'payment-declined',
    message: problem ?? '',
    errorMessage: problem,
    invoiceId,
    redirectUrl: paid ? `/checkout/confirmation/${invoiceId}` : (session?.redirectUrl ?? null),
    clientSecret: session?.clientSecret ?? null,
    clientToken: session?.clientToken ?? null,
    sessionId: session?.sessionId ?? null,
    sdkConfig,
    sdkConfiguration: sdkConfig,
    integrationType: method.integration,
    providerAlias: provider.alias,
    methodAlias: method.methodAlias,
    formFields: [...method.formFields],
    heldUntil,
  };
};

type Unpaid = Exclude<PaymentResponse['status'], 'Completed' | 'Authorized'>;

const codes: Readonly<Record<Unpaid, string | null>> = {
  Pending: null,
  RequiresAction: null,
  Failed: 'payment-declined',
  Cancelled: 'payment-cancelled',
};

const withoutPayment = (
  invoiceId: string,
  status: Unpaid,
  message: string,
  transactionId: string | null = null,
): PaymentResponse => ({
  success: codes[status] === null,
  code: codes[status],
  message,
  errorMessage: codes[status] === null ? null : message,
  invoiceId,
  paymentId: null,
  transactionId,
  status,
  redirectUrl: null,
  clientSecret: null,
  confirmationUrl: null,
  paymentMethodSaved: false,
});

/** What came of an attempt that the provider was asked for. */
export const attemptResponse = (invoiceId: string, outcome: KnownOutcome): PaymentResponse => {
  switch (outcome.kind) {
    case 'completed':
      return completedResponse(invoiceId, outcome.payment);
    case 'authorized':
      return authorizedResponse(invoiceId, outcome.authorization);
    case 'pending':
      return withoutPayment(invoiceId, 'Pending', 'The payment is being processed.', outcome.transactionId);
    case 'requiresAction': {
      const { sessionId, redirectUrl, clientSecret } = outcome.session;
      const message = 'Your bank requires authentication. Continue at your bank.';
      const answer = withoutPayment(invoiceId, 'RequiresAction', message, sessionId);
      return { ...answer, redirectUrl, clientSecret };
    }
    case 'declined':
      return withoutPayment(invoiceId, 'Failed', outcome.message, outcome.transactionId);
    case 'cancelled':
      return withoutPayment(invoiceId, 'Cancelled', outcome.message, outcome.transactionId);
  }
};
