import type Stripe from 'stripe';
import type {
  ChargeOutcome,
  ChargeRequest,
  FoundPayment,
  NotDone,
  PaymentProvider,
  StartRequest,
} from '#ports/payment-provider.ts';
import { readStripeCallback } from './stripe-callback.ts';
import { stripeClient, type StripeSettings } from './stripe-client.ts';
import {
  chargeOutcome,
  fromStripe,
  hasMovedOn,
  isMissing,
  notDone,
  paymentOf,
  refundOutcome,
  sessionOf,
  toStripe,
  vaultedMethod,
} from './stripe-outcomes.ts';
import { stripeInfo } from './stripe-methods.ts';
import { customerAt, stripeVault, type StripeAccount } from './stripe-vault.ts';

interface StripeOptions {
  /** By the keys of its fields, and `apiBaseUrl`. */
  readonly settings: () => Readonly<Record<string, unknown>>;
  readonly timeoutMilliseconds?: number;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The client of today's settings; made anew when the key or the address is another. */
const createAccount = ({ settings, timeoutMilliseconds }: StripeOptions): (() => StripeAccount) => {
  let made: StripeAccount | null = null;
  return () => {
    const given = settings();
    const now: StripeSettings = {
      secretKey: text(given['secretKey']),
      publishableKey: text(given['publishableKey']),
      webhookSecret: text(given['webhookSecret']),
      apiBaseUrl: text(given['apiBaseUrl']),
    };
    const isSame = made?.settings.secretKey === now.secretKey && made.settings.apiBaseUrl === now.apiBaseUrl;
    made = { settings: now, client: made && isSame ? made.client : stripeClient(now, timeoutMilliseconds) };
    return made;
  };
};

/** What a charge is paid from: a method of a form or a vault, or a confirmation token. */
const paidFrom = ({ source }: ChargeRequest): Partial<Stripe.PaymentIntentCreateParams> => {
  if ('saved' in source) {
    const { providerMethodId, providerCustomerId } = source.saved;
    const customer = providerCustomerId === null ? {} : { customer: providerCustomerId };
    return { payment_method: providerMethodId, ...customer };
  }
  const { token } = source;
  return token.startsWith('ctoken_') ? { confirmation_token: token } : { payment_method: token };
};

/** A payer's bank can send them back to an absolute address only. */
const comingBackTo = (returnPage: string): Partial<Stripe.PaymentIntentCreateParams> =>
  /^https?:\/\//i.test(returnPage)
    ? { automatic_payment_methods: { enabled: true }, return_url: returnPage }
    : { automatic_payment_methods: { enabled: true, allow_redirects: 'never' } };

const charge =
  (account: () => StripeAccount) =>
  async (request: ChargeRequest): Promise<ChargeOutcome> => {
    const { idempotencyKey, invoiceId, amountMinor, currency, returnPage, saveFor } = request;
    try {
      const { client, settings } = account();
      const customer = saveFor && (await customerAt(account(), saveFor, idempotencyKey));
      const intent = await client.paymentIntents.create(
        {
          amount: toStripe(amountMinor, currency),
          currency: currency.toLowerCase(),
          confirm: true,
          metadata: { invoiceId },
          expand: ['payment_method'],
          ...comingBackTo(returnPage),
          ...paidFrom(request),
          ...(customer === null ? {} : { customer, setup_future_usage: 'off_session' }),
        },
        { idempotencyKey },
      );
      const { payment_method: paidWith } = intent;
      const isKept = customer !== null && paidWith !== null && typeof paidWith === 'object';
      return chargeOutcome(
        intent,
        settings.publishableKey,
        isKept ? vaultedMethod(paidWith, customer) : null,
      );
    } catch (error) {
      return notDone(error);
    }
  };

const metadataOf = ({ invoiceId, basketId }: StartRequest): Record<string, string> => ({
  ...(invoiceId === null ? {} : { invoiceId }),
  ...(basketId === null ? {} : { basketId }),
});

/** A page of Stripe's own. */
const startPage = async ({ client }: StripeAccount, request: StartRequest) => {
  const { idempotencyKey, amountMinor, currency, returnPage, cancelPage, description } = request;
  const metadata = metadataOf(request);
  const session = await client.checkout.sessions.create(
    {
      mode: 'payment',
      line_items: [
        {
          quantity: 1,
          price_data: {
            currency: currency.toLowerCase(),
            unit_amount: toStripe(amountMinor, currency),
            product_data: { name: description },
          },
        },
      ],
      success_url: `${returnPage}${returnPage.includes('?') ? '&' : '?'}sessionId={CHECKOUT_SESSION_ID}`,
      cancel_url: cancelPage,
      metadata,
      payment_intent_data: { metadata },
    },
    { idempotencyKey },
  );
  const { id: sessionId, url: redirectUrl } = session;
  return { sessionId, redirectUrl, clientSecret: null, clientToken: null, sdkConfig: {} };
};

const start =
  (account: () => StripeAccount): NonNullable<PaymentProvider['start']> =>
  async (request) => {
    const { idempotencyKey, methodAlias, amountMinor, currency, description } = request;
    try {
      const { client, settings } = account();
      if (methodAlias === 'checkout')
        return { kind: 'started', session: await startPage(account(), request) };
      const intent = await client.paymentIntents.create(
        {
          amount: toStripe(amountMinor, currency),
          currency: currency.toLowerCase(),
          description,
          metadata: metadataOf(request),
          automatic_payment_methods: { enabled: true },
        },
        { idempotencyKey },
      );
      return { kind: 'started', session: sessionOf(intent, settings.publishableKey) };
    } catch (error) {
      return notDone(error);
    }
  };

const foundBy = (error: unknown): FoundPayment => {
  if (isMissing(error)) return { kind: 'notFound' };
  const failed = notDone(error);
  return failed.kind === 'unavailable' ? failed : { kind: 'unknownOutcome' };
};

/** A page that nobody has paid at has no intent yet. */
const ofPage = (session: Stripe.Checkout.Session): FoundPayment => {
  const { id, status, metadata, payment_intent: intent } = session;
  if (intent !== null && typeof intent === 'object') return { kind: 'found', payment: paymentOf(intent) };
  const currency = (session.currency ?? '').toUpperCase();
  const payment = {
    status: status === 'expired' ? ('cancelled' as const) : ('open' as const),
    transactionId: id,
    invoiceId: metadata?.['invoiceId'] ?? null,
    basketId: metadata?.['basketId'] ?? null,
    amountMinor: fromStripe(session.amount_total ?? 0, currency),
    currency,
    message: null,
  };
  return { kind: 'found', payment };
};

const lookUp = async ({ client }: StripeAccount, id: string): Promise<FoundPayment> => {
  try {
    if (id.startsWith('cs_'))
      return ofPage(await client.checkout.sessions.retrieve(id, { expand: ['payment_intent'] }));
    return { kind: 'found', payment: paymentOf(await client.paymentIntents.retrieve(id)) };
  } catch (error) {
    return foundBy(error);
  }
};

const capture =
  (account: () => StripeAccount): NonNullable<PaymentProvider['capture']> =>
  async ({ idempotencyKey, transactionId, amountMinor, currency }) => {
    try {
      const { client } = account();
      const amount = { amount_to_capture: toStripe(amountMinor, currency) };
      await client.paymentIntents.capture(transactionId, amount, { idempotencyKey });
      return { kind: 'completed', transactionId };
    } catch (error) {
      const known = hasMovedOn(error) ? await lookUp(account(), transactionId) : null;
      const isCaptured = known?.kind === 'found' && known.payment.status === 'completed';
      return isCaptured ? { kind: 'completed', transactionId } : notDone(error);
    }
  };

const captured: NotDone = {
  kind: 'refused',
  code: 'already_captured',
  message: 'The money has been taken; give it back.',
};

const undo =
  (account: () => StripeAccount): NonNullable<PaymentProvider['void']> =>
  async ({ idempotencyKey, transactionId: id }) => {
    try {
      const { client } = account();
      if (id.startsWith('cs_')) await client.checkout.sessions.expire(id, {}, { idempotencyKey });
      else await client.paymentIntents.cancel(id, {}, { idempotencyKey });
      return { kind: 'completed' };
    } catch (error) {
      if (isMissing(error)) return { kind: 'completed' };
      const failed = notDone(error);
      if (failed.kind !== 'refused') return failed;
      const known = await lookUp(account(), id);
      const isClosed = known.kind === 'found' && known.payment.status === 'cancelled';
      const isTaken = known.kind === 'found' && known.payment.status === 'completed';
      if (isClosed) return { kind: 'completed' };
      return isTaken ? captured : failed;
    }
  };

const refund =
  (account: () => StripeAccount): NonNullable<PaymentProvider['refund']> =>
  async ({ idempotencyKey, transactionId, amountMinor, currency, reason }) => {
    try {
      const { client } = account();
      const made = await client.refunds.create(
        {
          payment_intent: transactionId,
          amount: toStripe(amountMinor, currency),
          reason: 'requested_by_customer',
          metadata: { reason: reason.slice(0, 500) },
        },
        { idempotencyKey },
      );
      return refundOutcome(made);
    } catch (error) {
      return notDone(error);
    }
  };

/** Only Stripe's word for it ends a refund: what it does not find, or refuses to show, stays as it is. */
const lookUpRefund =
  (account: () => StripeAccount): NonNullable<PaymentProvider['lookUpRefund']> =>
  async ({ transactionId }) => {
    try {
      return refundOutcome(await account().client.refunds.retrieve(transactionId));
    } catch (error) {
      const failed = notDone(error);
      return failed.kind === 'refused' ? { kind: 'unknownOutcome' } : failed;
    }
  };

/** What staff can do about it; never what the API was called with. */
const test = async ({ client }: StripeAccount): Promise<string | null> => {
  try {
    await client.balance.retrieve();
    return null;
  } catch (error) {
    const failed = notDone(error);
    if (failed.kind === 'unknownOutcome') return 'Stripe does not answer.';
    const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
    return status === 401 || status === 403
      ? 'Stripe does not accept the secret key.'
      : 'Stripe cannot be reached.';
  }
};

/** Stripe, by its official package (docs/payment-providers.md#stripe). */
export const stripeProvider = (options: StripeOptions) => {
  const account = createAccount(options);
  return {
    ...stripeInfo,
    checkToken: (token) =>
      /^(?:pm|ctoken)_\w{1,240}$/.test(token)
        ? null
        : 'a payment method (pm_…) or confirmation token (ctoken_…) of Stripe was expected',
    charge: charge(account),
    start: start(account),
    confirm: ({ sessionId }) => lookUp(account(), sessionId),
    lookUp: ({ transactionId }) => lookUp(account(), transactionId),
    capture: capture(account),
    void: undo(account),
    refund: refund(account),
    lookUpRefund: lookUpRefund(account),
    vault: stripeVault(account),
    callback: (raw) => readStripeCallback(raw, account().settings.webhookSecret),
    test: () => test(account()),
  } satisfies PaymentProvider;
};
