import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '#kernel/clock.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { AcceptedCallback } from '#ports/payment-callback.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type {
  ChargeOutcome,
  ChargeRequest,
  FoundPayment,
  ProviderPayment,
  StartRequest,
} from '#ports/payment-requests.ts';
import { isCapturedLater } from '../capture-field.ts';
import {
  heldUntil,
  listSandboxCharges,
  openSandboxBooks,
  transactionOf,
  type SandboxBooks,
  type SandboxCharge,
} from './sandbox-books.ts';
import { readSandboxCallback } from './sandbox-callback.ts';
import { sandboxInfo } from './sandbox-methods.ts';
import { listSandboxRefunds, openSandboxRefunds } from './sandbox-refunds.ts';
import { openSandboxSessions, paymentOf, startedSession, type SandboxSession } from './sandbox-sessions.ts';
import { outcomeOfToken, tokenNamed } from './sandbox-tokens.ts';
import { openSandboxVault } from './sandbox-vault.ts';

/** How long the adapter waits for an answer that never comes before it asks again. */
const ANSWER_TIMEOUT_MILLISECONDS = 2000;

/** Of a shop that says nothing else. */
const KNOWN_SECRET = 'whsec_sandbox';

interface SandboxOptions {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  /** By the keys of its fields. */
  readonly settings: () => Readonly<Record<string, unknown>>;
  /** Replaced in tests, which do not wait. */
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
}

/** What the adapter asks of the sandbox's own side. */
interface Sandbox extends Required<SandboxOptions> {
  readonly books: SandboxBooks;
  readonly refunds: Awaited<ReturnType<typeof openSandboxRefunds>>;
  readonly sessions: Awaited<ReturnType<typeof openSandboxSessions>>;
  readonly vault: Awaited<ReturnType<typeof openSandboxVault>>;
}

const authorizedUntil = async (books: SandboxBooks, transactionId: string) => {
  const made = await books.find(transactionId);
  return made === null ? {} : { authorizedUntil: heldUntil(made) };
};

/** The provider's side of a charge: the same key never charges twice. */
const chargeOnce = async (
  { books, vault, settings }: Sandbox,
  { idempotencyKey: key, invoiceId, amountMinor, currency, saveFor, isOffSession }: ChargeRequest,
  token: string,
): Promise<ChargeOutcome> => {
  const transactionId = transactionOf(key);
  const isAuthorisedOnly =
    settings()['authorisesFirst'] === true || (isCapturedLater(settings()) && !isOffSession);
  const status = isAuthorisedOnly ? 'Authorized' : 'Completed';
  await books.enter({ key, invoiceId, transactionId, token, amountMinor, currency, status });
  const charged = isAuthorisedOnly
    ? ({ kind: 'authorized', transactionId, ...(await authorizedUntil(books, transactionId)) } as const)
    : ({ kind: 'completed', transactionId } as const);
  return saveFor === null ? charged : { ...charged, savedMethod: await vault.keep(key, token, saveFor) };
};

const openFor = (
  { sessions }: Sandbox,
  {
    idempotencyKey,
    methodAlias,
    amountMinor,
    currency,
  }: Omit<StartRequest, 'invoiceId' | 'basketId' | 'saveFor'>,
  rest: Pick<SandboxSession, 'token' | 'invoiceId' | 'basketId' | 'status' | 'saveFor'>,
): Promise<SandboxSession> => sessions.open({ idempotencyKey, methodAlias, amountMinor, currency, ...rest });

const charge =
  (sandbox: Sandbox) =>
  async (request: ChargeRequest): Promise<ChargeOutcome> => {
    const { source, invoiceId } = request;
    const isSaved = 'saved' in source;
    const token = isSaved ? await sandbox.vault.tokenOf(source.saved) : source.token;
    if (token === null)
      return {
        kind: 'refused',
        code: 'unknown_method',
        message: 'This payment method is no longer saved.',
      };
    const outcome = outcomeOfToken(token, isSaved, request.isOffSession);
    if (typeof outcome === 'object') return outcome;
    const { saveFor } = request;
    const opened = { token, invoiceId, basketId: null, ...(saveFor && { saveFor }) };
    const asked = { ...request, cancelPage: '', description: '' };
    switch (outcome) {
      case 'charged':
        return chargeOnce(sandbox, request, token);
      case 'chargedLate':
        // The provider charges, but its answer is lost; asking again with the same key brings it.
        await chargeOnce(sandbox, request, token);
        await sandbox.sleep(ANSWER_TIMEOUT_MILLISECONDS);
        return chargeOnce(sandbox, request, token);
      case 'pending': {
        const { _id } = await openFor(sandbox, asked, { ...opened, status: 'pending' });
        return { kind: 'pending', transactionId: _id };
      }
      case 'requiresAction': {
        const session = await openFor(sandbox, asked, { ...opened, status: 'open' });
        const started = startedSession(session, request.returnPage);
        return { kind: 'requiresAction', transactionId: session._id, session: started };
      }
    }
  };

/** The card that is typed at the sandbox's page, or into its widget. */
const TYPED_TOKEN = 'tok_success';

/** A charge as the shop asks for it. */
const paymentOfCharge = (charge: SandboxCharge): ProviderPayment => {
  const { transactionId, invoiceId, amountMinor, currency, status } = charge;
  const kept = { transactionId, invoiceId, basketId: null, amountMinor, currency, message: null };
  switch (status) {
    case 'Authorized':
      return { ...kept, status: 'authorized', authorizedUntil: heldUntil(charge) };
    case 'Voided':
      return { ...kept, status: 'cancelled' };
    default:
      return { ...kept, status: 'completed' };
  }
};

/** What is paid in a session stands in the books. */
const paidIn = async ({ books }: Sandbox, session: SandboxSession): Promise<ProviderPayment> => {
  const payment = paymentOf(session);
  const charge = session.status === 'completed' ? await books.find(session._id) : null;
  if (charge === null) return payment;
  const { invoiceId, basketId } = payment;
  return { ...paymentOfCharge(charge), invoiceId, basketId };
};

const found = async (sandbox: Sandbox, session: SandboxSession | null): Promise<FoundPayment> => {
  if (session === null) return { kind: 'notFound' };
  const { vault } = sandbox;
  const payment = await paidIn(sandbox, session);
  const { _id, status, saveFor, token } = session;
  if (!saveFor || status !== 'completed') return { kind: 'found', payment };
  const paidWith = tokenNamed(token) ? token : TYPED_TOKEN;
  return { kind: 'found', payment: { ...payment, savedMethod: await vault.keep(_id, paidWith, saveFor) } };
};

/** It waits for the word of the payer's bank, which has a page. */
const isChallenged = (session: SandboxSession | null): boolean =>
  session?.status === 'open' && tokenNamed(session.token)?.hasChallenge === true;

/** What the page of the payer's bank, or the widget, has come to; nothing said: the money is there. */
const confirm =
  (sandbox: Sandbox): NonNullable<PaymentProvider['confirm']> =>
  async ({ sessionId, parameters: { outcome }, saveFor }) => {
    const { sessions } = sandbox;
    if (saveFor) await sessions.keepFor(sessionId, saveFor);
    if (outcome === undefined && isChallenged(await sessions.find(sessionId)))
      return found(sandbox, await sessions.find(sessionId));
    if (outcome === 'pending') return found(sandbox, await sessions.end(sessionId, 'pending'));
    if (outcome === 'decline')
      return found(sandbox, await sessions.end(sessionId, 'failed', 'The card was declined.'));
    return found(sandbox, await sessions.end(sessionId, 'completed'));
  };

const challenge =
  ({ sessions, vault }: Sandbox): NonNullable<PaymentProvider['challenge']> =>
  async (sessionId) => {
    const returnFields = { provider: sandboxInfo.alias, sessionId };
    const session = await sessions.find(sessionId);
    if (session === null)
      return (await vault.isChallenged(sessionId))
        ? { price: null, returnPath: '/api/shop/storefront/payment-methods/return', returnFields }
        : null;
    const { amountMinor, currency } = session;
    if (!isChallenged(session)) return null;
    return { price: { amountMinor, currency }, returnPath: '/api/shop/checkout/return', returnFields };
  };

const lookUp =
  (sandbox: Sandbox): NonNullable<PaymentProvider['lookUp']> =>
  async ({ transactionId }) => {
    const { sessions, books } = sandbox;
    const session = await sessions.find(transactionId);
    if (session !== null) return found(sandbox, session);
    const made = await books.find(transactionId);
    if (made === null) return { kind: 'notFound' };
    return { kind: 'found', payment: paymentOfCharge(made) };
  };

const undo =
  ({ sessions, books }: Sandbox): NonNullable<PaymentProvider['void']> =>
  async ({ transactionId }) => {
    const session = await sessions.end(transactionId, 'cancelled');
    const isPaid = session === null || session.status === 'completed';
    const made = isPaid ? await books.find(transactionId) : null;
    if (made === null || (await books.void(made))) return { kind: 'completed' };
    return { kind: 'refused', code: 'already_captured', message: 'The money has been taken; give it back.' };
  };

/** A callback that a test has signed is the sandbox's own word: its books say so, too. */
const accepted =
  ({ sessions, books, refunds }: Sandbox) =>
  async (callback: AcceptedCallback): Promise<number> => {
    const { type, transactionId, refundId, invoiceId, amountMinor, currency } = callback;
    if (type !== 'PaymentCompleted') {
      const name = refundId ?? transactionId;
      if (type === 'RefundCompleted')
        await refunds.refund(name, transactionId, { amountMinor, currency }, name);
      await refunds.end(name, type === 'RefundFailed' ? 'Failed' : 'Completed');
      return amountMinor;
    }
    const session = await sessions.find(transactionId);
    const known = await books.find(transactionId);
    if (known?.invoiceId === '' && invoiceId !== '') await books.nameInvoice(known, invoiceId);
    if (known?.status === 'Authorized')
      return (await books.capture({ transactionId, amountMinor })) ?? known.amountMinor;
    if (known !== null) return known.amountMinor;
    const key = session?.idempotencyKey ?? transactionId;
    const token = session?.token ?? 'callback';
    await books.enter({ key, invoiceId, transactionId, token, amountMinor, currency, status: 'Completed' });
    if (session !== null) await sessions.end(transactionId, 'completed');
    return (await books.find(transactionId))?.amountMinor ?? amountMinor;
  };

const merchantSession: NonNullable<PaymentProvider['validateWallet']> = ({ displayName, domain }) =>
  Promise.resolve({
    kind: 'session',
    session: {
      merchantSessionIdentifier: `sandbox-${domain}`,
      merchantIdentifier: 'sandbox',
      domainName: domain,
      displayName,
    },
  });

/** A provider without money: how a payment ends is told by its token (docs/rules/payments.md#sandbox-tokens). */
export const sandboxProvider = async ({ sleep = wait, ...options }: SandboxOptions) => {
  const { stateStore, clock, settings } = options;
  const books = await openSandboxBooks(stateStore, clock);
  const refunds = await openSandboxRefunds(stateStore, clock, books.find);
  const sessions = await openSandboxSessions(stateStore, clock, books, () =>
    isCapturedLater(settings()) ? 'Authorized' : 'Completed',
  );
  const vault = await openSandboxVault(stateStore, clock);
  const sandbox: Sandbox = { ...options, sleep, books, refunds, sessions, vault };
  return {
    ...sandboxInfo,
    checkToken: (token) => (tokenNamed(token) ? null : 'unknown sandbox token'),
    charge: charge(sandbox),
    start: async (request) => {
      const { methodAlias: token, invoiceId, basketId, saveFor } = request;
      const of = { token, invoiceId, basketId, ...(saveFor && { saveFor }) };
      const session = await openFor(sandbox, request, { ...of, status: 'open' });
      return { kind: 'started', session: startedSession(session, request.returnPage) };
    },
    confirm: confirm(sandbox),
    lookUp: lookUp(sandbox),
    capturesLater: () => isCapturedLater(settings()),
    capture: async (request) => {
      const { transactionId } = request;
      const amountMinor = await books.capture(request);
      if (amountMinor !== null) return { kind: 'completed', transactionId, amountMinor };
      return { kind: 'refused', code: 'not_authorised', message: 'There is nothing to capture.' };
    },
    void: undo(sandbox),
    refund: ({ idempotencyKey, transactionId, ...request }) =>
      refunds.refund(idempotencyKey, transactionId, request),
    lookUpRefund: ({ transactionId }) => refunds.lookUp(transactionId),
    vault: vault.vault,
    callback: (raw) => {
      const secret = settings()['webhookSecret'];
      return readSandboxCallback(raw, typeof secret === 'string' && secret !== '' ? secret : KNOWN_SECRET);
    },
    accepted: accepted(sandbox),
    challenge: challenge(sandbox),
    validateWallet: merchantSession,
    test: () => Promise.resolve(null),
    charges: () => listSandboxCharges(stateStore),
    refunds: () => listSandboxRefunds(stateStore),
  } satisfies PaymentProvider;
};
