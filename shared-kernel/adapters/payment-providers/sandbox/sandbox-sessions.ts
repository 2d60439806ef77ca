import { isoInstant, type Clock } from '#kernel/clock.ts';
import { derivedId } from '#kernel/ids.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { ProviderPayment, StartedSession, VaultCustomer } from '#ports/payment-requests.ts';
import type { NewCharge, SandboxBooks } from './sandbox-books.ts';
import { tokenNamed } from './sandbox-tokens.ts';

/** An unfinished payment: a page, a widget, an intent, a bank's check, a slow answer. */
export interface SandboxSession extends Document {
  readonly idempotencyKey: string;
  readonly methodAlias: string;
  /** Of a charge that its bank checks; else the method that it was started for. */
  readonly token: string;
  readonly invoiceId: string | null;
  readonly basketId: string | null;
  readonly amountMinor: number;
  readonly currency: string;
  readonly status: 'open' | 'pending' | 'completed' | 'failed' | 'cancelled';
  readonly message: string | null;
  readonly dateCreated: string;
  /** For whom the method is kept that is paid with. */
  readonly saveFor?: VaultCustomer;
}

const SESSIONS = 'sandbox_sessions';

/** Where a payer goes on who has to: the shop's own page for those who come back. */
const returnAddress = (sessionId: string): string =>
  `/api/shop/checkout/return?provider=sandbox&sessionId=${sessionId}`;

/** The page of the payer's bank, which the shop serves; absolute where the page to come back to is. */
export const challengeAddress = (sessionId: string, returnPage: string): string => {
  const path = `/api/shop/checkout/sandbox/challenge?sessionId=${sessionId}`;
  return URL.canParse(returnPage) ? new URL(path, returnPage).href : path;
};

/** What the shop is told of an open session. */
export const startedSession = (
  { _id: sessionId, methodAlias, token }: SandboxSession,
  returnPage: string,
): StartedSession => {
  const isCheckedByBank = token !== methodAlias;
  const isElsewhere = methodAlias === 'redirect' || isCheckedByBank;
  return {
    sessionId,
    redirectUrl: isElsewhere ? pageOf(sessionId, token, returnPage) : null,
    clientSecret: methodAlias === 'wallet' && !isElsewhere ? `${sessionId}_secret` : null,
    clientToken: methodAlias === 'widget' && !isElsewhere ? `${sessionId}_token` : null,
    sdkConfig: {},
  };
};

const pageOf = (sessionId: string, token: string, returnPage: string): string =>
  tokenNamed(token)?.hasChallenge ? challengeAddress(sessionId, returnPage) : returnAddress(sessionId);

/** A session as the shop asks for it. Its transaction has its name. */
export const paymentOf = (session: SandboxSession): ProviderPayment => {
  const { _id, status, invoiceId, basketId, amountMinor, currency, message } = session;
  return { status, transactionId: _id, invoiceId, basketId, amountMinor, currency, message };
};

/** Sessions of the sandbox, in the state store: of each the first final outcome stands, whichever process hears it. */
export const openSandboxSessions = async (
  store: DocumentStore,
  clock: Clock,
  books: SandboxBooks,
  statusOfCharge: () => NewCharge['status'],
) => {
  await store.declare(SESSIONS);

  /** What a completed session charges; a repeat charges nothing more. */
  const charge = ({ _id, idempotencyKey, token, ...session }: SandboxSession): Promise<void> => {
    const { invoiceId, amountMinor, currency } = session;
    return books.enter({
      key: idempotencyKey,
      transactionId: _id,
      invoiceId: invoiceId ?? '',
      token,
      amountMinor,
      currency,
      status: statusOfCharge(),
    });
  };

  /** A kill between the end of a session and its charge is made good by the next caller. */
  const find = async (id: string): Promise<SandboxSession | null> => {
    const session = await store.get<SandboxSession>(SESSIONS, id);
    if (session?.status === 'completed') await charge(session);
    return session;
  };

  const end = async (
    id: string,
    status: 'pending' | 'completed' | 'failed' | 'cancelled',
    message: string | null = null,
  ): Promise<SandboxSession | null> => {
    await store.updateIf(
      SESSIONS,
      { _id: id, status: { in: ['open', 'pending'] } },
      { set: { status, message } },
    );
    return find(id);
  };

  /** The payer says only now that the method is to be kept. */
  const keepFor = async (id: string, saveFor: VaultCustomer): Promise<void> => {
    await store.updateIf(SESSIONS, { _id: id, status: { in: ['open', 'pending'] } }, { set: { saveFor } });
  };

  return {
    find,
    end,
    keepFor,

    /** Opens a session, once a key. */
    open: async (given: Omit<SandboxSession, '_id' | 'message' | 'dateCreated'>): Promise<SandboxSession> => {
      const _id = `sandbox-session-${derivedId('sandbox-session', given.idempotencyKey)}`;
      const session: SandboxSession = {
        _id,
        ...given,
        message: null,
        dateCreated: isoInstant(clock.now()),
      };
      return (await store.insertIfAbsent(SESSIONS, session)) ? session : ((await find(_id)) ?? session);
    },
  };
};
