import { customerStream } from '#command/contexts/customers/customer.stream.ts';
import { invoiceStream } from '#command/contexts/invoices/invoice.stream.ts';
import type {
  CardPayment,
  OpenPaymentSession,
  RecordProviderPayment,
} from '#command/contexts/invoices/payments/payment.commands.ts';
import type { Streams } from '#command/engine/streams.ts';
import type { ChargeRequest, StartRequest } from '#ports/payment-requests.ts';
import { idNamed } from './basket.ts';
import { anyMeta } from '../engine.ts';
import type { invoice } from './invoice.ts';

/** A card at a provider; each token is another card. */
export const cardOf = (provider: string, token: string): CardPayment => ({
  type: 'AttemptPayment',
  provider,
  method: 'card',
  token,
  tokenHash: `hash of ${token}`,
});

/** What a provider is asked for a card. */
export const chargeOf = (token: string, key = 'key'): ChargeRequest => ({
  idempotencyKey: idNamed(key),
  invoiceId: idNamed('invoice'),
  amountMinor: 2640,
  currency: 'GBP',
  methodAlias: 'card',
  source: { token },
  returnPage: 'https://shop.example/api/shop/checkout/return?provider=sandbox',
  saveFor: null,
});

/** What a provider is asked for a session. */
export const startOf = (key: string): StartRequest => ({
  idempotencyKey: idNamed(key),
  methodAlias: 'card',
  amountMinor: 2640,
  currency: 'GBP',
  invoiceId: idNamed('invoice'),
  basketId: null,
  returnPage: 'https://shop.example/api/shop/checkout/return?provider=x',
  cancelPage: 'https://shop.example/api/shop/checkout/cancel?provider=x',
  description: 'INV-0001',
});

/** The token of a charge that is paid with one. */
export const tokenOf = ({ source }: ChargeRequest): string => ('token' in source ? source.token : '');

/** A page of a provider at which an invoice may be paid. */
export const pageOf = (
  sessionId = 'ses_1',
  changes: Partial<OpenPaymentSession> = {},
): OpenPaymentSession => ({
  type: 'OpenPaymentSession',
  sessionId,
  provider: 'sandbox',
  method: 'redirect',
  kind: 'redirect',
  amount: 2640,
  returnUrl: '/thanks',
  cancelUrl: '/basket',
  ...changes,
});

/** Money that the same provider says has come. */
export const reportedPayment = (
  transactionId: string,
  changes: Partial<RecordProviderPayment> = {},
): RecordProviderPayment => ({
  type: 'RecordProviderPayment',
  provider: 'sandbox',
  method: null,
  transactionId,
  sessionId: null,
  amount: 2640,
  currency: 'GBP',
  webhookEventId: null,
  risk: null,
  settlement: null,
  ...changes,
});

/** Money that did not come by card. */
export const byHand = {
  type: 'RecordDirectPayment',
  provider: 'manual',
  method: 'manual',
  formData: {},
  holdMinutes: null,
} as const;

const ada = {
  type: 'RegisterCustomer',
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'Lovelace',
  acceptsMarketing: false,
} as const;

/** The invoice is there, not paid yet, and its customer is known. */
export const placeInvoice = async (
  streams: Streams,
  { id, placed }: ReturnType<typeof invoice>,
): Promise<void> => {
  const command = { type: 'CreateInvoice', ...placed.data } as const;
  const { customerId } = placed.data.content;
  if (customerId !== null) await streams.send(customerStream, customerId, ada, anyMeta());
  await streams.send(invoiceStream, id, command, anyMeta());
};

/** Nobody looks up afterwards which invoice a provider means. */
export const noReferences = { keep: () => Promise.resolve() };
