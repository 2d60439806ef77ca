import type { KnownInvoice } from '../invoice.state.ts';

interface ProvidersNames {
  readonly provider: string;
  readonly transactionId: string;
  readonly sessionId: string | null;
}

/** The session and the pending outcome that a report is about. Some providers give both the same id. */
export const matching = (invoice: KnownInvoice, { provider, transactionId, sessionId }: ProvidersNames) => {
  const { sessions, pending } = invoice;
  const session =
    sessions.find((one) => one.provider === provider && [sessionId, transactionId].includes(one.sessionId)) ??
    null;
  const isOwed =
    pending?.provider === provider &&
    (pending.transactionId === transactionId ||
      (pending.sessionId !== null && pending.sessionId === session?.sessionId));
  return { session, owed: isOwed ? pending : null };
};
