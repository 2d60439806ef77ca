import type Stripe from 'stripe';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { ChargeOutcome, ChargeRequest, FoundPayment, NotDone } from '#ports/payment-requests.ts';
import { isCapturedLater } from '../capture-field.ts';
import { readStripeCallback } from './stripe-callback.ts';
import { fromStripe, refuseAmount, toStripe } from './stripe-amounts.ts';
import { stripeClient, type StripeSettings } from './stripe-client.ts';
import {
  chargeOutcome,
  hasMovedOn,
  isAskedOtherwise,
  isMissing,
  notDone,
  paymentOf,
  scriptConfig,
} from './stripe-outcomes.ts';
import { stripeInfo } from './stripe-methods.ts';
import { lookUpRefund, refund } from './stripe-refunds.ts';
import { captureMethod, elementOf, start } from './stripe-start.ts';
import { validateWallet } from './stripe-wallets.ts';
import { vaultOptions, stripeVault, type StripeAccount } from './stripe-vault.ts';

interface StripeOptions {
  /** By the keys of its fields, and `apiBaseUrl`. */
  readonly settings: () => Readonly<Record<string, unknown>>;
  readonly timeoutMilliseconds?: number;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The client of the current settings; replaced when the key or the address changes. */
const createAccount = ({ settings, timeoutMilliseconds }: StripeOptions): (() => StripeAccount) => {
  let made: StripeAccount | null = null;
  return () => {
    const given = settings();
    const now: StripeSettings = {
      secretKey: text(given['secretKey']),
      publishableKey: text(given['publishableKey']),
      webhookSecret: text(given['webhookSecret']),
      isCapturedLater: isCapturedLater(given),
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

/**
 * A payer's bank can send them back to an absolute address only, and asks nobody who is not there
 * (https://docs.stripe.com/api/payment_intents/create#create_payment_intent-off_session).
 */
const comingBackTo = ({
  returnPage,
  isOffSession,
}: Pick<ChargeRequest, 'returnPage' | 'isOffSession'>): Partial<Stripe.PaymentIntentCreateParams> =>
  !isOffSession && /^https?:\/\//i.test(returnPage)
    ? { automatic_payment_methods: { enabled: true }, return_url: returnPage }
    : {
        automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
        ...(isOffSession && { off_session: true }),
      };

/** In full, with the method that was paid with and the charge, which says how risky it is. */
const IN_FULL = ['payment_method', 'latest_charge'];
const under = (field: string): string[] => IN_FULL.map((name) => `${field}.${name}`);

/**
 * The charge that was asked for under this key in other words: after an update of the shop, say. Stripe's search is
 * some seconds late: what it does not find stays unknown.
 */
const chargeUnder = async (
  { client, settings }: StripeAccount,
  { idempotencyKey, invoiceId }: ChargeRequest,
): Promise<ChargeOutcome> => {
  const query = `metadata['invoiceId']:'${invoiceId}'`;
  const { data } = await client.paymentIntents.search({ query, limit: 100, expand: under('data') });
  const intent = data.find(({ metadata }) => metadata['attemptId'] === idempotencyKey);
  return intent ? chargeOutcome(intent, settings) : { kind: 'unknownOutcome' };
};

const charge =
  (account: () => StripeAccount) =>
  async (request: ChargeRequest): Promise<ChargeOutcome> => {
    const { idempotencyKey, invoiceId, amountMinor, currency, saveFor } = request;
    const refused = refuseAmount(amountMinor, currency);
    if (refused) return refused;
    try {
      const { client, settings } = account();
      const intent = await client.paymentIntents.create(
        {
          amount: toStripe(amountMinor, currency),
          currency: currency.toLowerCase(),
          confirm: true,
          metadata: { invoiceId, attemptId: idempotencyKey },
          ...(request.isOffSession ? {} : captureMethod(settings)),
          expand: IN_FULL,
          ...comingBackTo(request),
          ...paidFrom(request),
          ...(await vaultOptions(account(), saveFor, idempotencyKey)),
        },
        { idempotencyKey },
      );
      return chargeOutcome(intent, settings);
    } catch (error) {
      if (!isAskedOtherwise(error)) return notDone(error);
      return chargeUnder(account(), request).catch(() => ({ kind: 'unknownOutcome' }));
    }
  };

const foundBy = (error: unknown): FoundPayment => {
  if (isMissing(error)) return { kind: 'notFound' };
  const failed = notDone(error);
  return failed.kind === 'unavailable' ? failed : { kind: 'unknownOutcome' };
};

/** A page without a payment has no intent yet. */
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
      return ofPage(await client.checkout.sessions.retrieve(id, { expand: under('payment_intent') }));
    return {
      kind: 'found',
      payment: paymentOf(await client.paymentIntents.retrieve(id, { expand: IN_FULL })),
    };
  } catch (error) {
    return foundBy(error);
  }
};

const capture =
  (account: () => StripeAccount): NonNullable<PaymentProvider['capture']> =>
  async ({ idempotencyKey, transactionId, amountMinor, currency }) => {
    const refused = refuseAmount(amountMinor, currency);
    if (refused) return refused;
    try {
      const { client } = account();
      const amount = { amount_to_capture: toStripe(amountMinor, currency) };
      await client.paymentIntents.capture(transactionId, amount, { idempotencyKey });
      return { kind: 'completed', transactionId };
    } catch (error) {
      const known = hasMovedOn(error) ? await lookUp(account(), transactionId) : null;
      if (known?.kind !== 'found' || known.payment.status !== 'completed') return notDone(error);
      // By another ask, or by hand at Stripe: it is captured once.
      return { kind: 'completed', transactionId, amountMinor: known.payment.amountMinor };
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

/** Stripe, by its official package (docs/guides/writing-a-payment-provider.md#stripe). */
export const stripeProvider = (options: StripeOptions) => {
  const account = createAccount(options);
  return {
    ...stripeInfo,
    checkToken: (token) =>
      /^(?:pm|ctoken)_\w{1,240}$/.test(token)
        ? null
        : 'must be a payment method (pm_…) or confirmation token (ctoken_…) of Stripe',
    sdkConfig: (about) => {
      const { settings } = account();
      return scriptConfig(settings, elementOf(settings, about));
    },
    agentHandler: { config: () => ({ publishable_key: account().settings.publishableKey }) },
    // https://docs.stripe.com/payments/accept-a-payment: what Stripe appends to a return_url.
    cameFrom: ({ payment_intent: intent, setup_intent: setUp }) => intent ?? setUp ?? null,
    charge: charge(account),
    start: start(account),
    confirm: ({ sessionId }) => lookUp(account(), sessionId),
    lookUp: ({ transactionId }) => lookUp(account(), transactionId),
    capturesLater: () => account().settings.isCapturedLater,
    capture: capture(account),
    void: undo(account),
    refund: refund(account),
    lookUpRefund: lookUpRefund(account),
    vault: stripeVault(account),
    callback: (raw) => readStripeCallback(raw, account().settings.webhookSecret),
    validateWallet: validateWallet(account),
    test: () => test(account()),
  } satisfies PaymentProvider;
};
