import type { CommandMeta } from '#command/engine/command-engine.ts';
import { withProviderTimeout, PROVIDER_TIMEOUT_MILLISECONDS } from '#command/engine/provider-timeout.ts';
import { createInstances, type Performs } from '#command/engine/run-process.ts';
import type { RunAlone } from '#command/engine/run-alone.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { derivedId } from '#kernel/ids.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import { isKnown } from '../../invoices/invoice.state.ts';
import { settledPayment } from '../providers/ask-provider.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import {
  voidSessions,
  type VoidedSession,
  type VoidInput,
  type VoidingCalls,
} from './void-sessions.process.ts';

type ProviderByAlias = (alias: string) => PaymentProvider | undefined;

/** What was paid in a session that cannot be voided; null where nothing was, undefined where unknown. */
const paidIn = async (
  provider: PaymentProvider,
  sessionId: string,
): Promise<VoidedSession['paid'] | undefined> => {
  if (!provider.lookUp) return null;
  const asked = withProviderTimeout(
    provider.lookUp({ transactionId: sessionId }),
    PROVIDER_TIMEOUT_MILLISECONDS,
  );
  const found = await settledPayment(provider, await asked);
  if (found.kind === 'notFound') return null;
  if (found.kind !== 'found' || found.payment.status === 'pending') return undefined;
  const { status, transactionId, amountMinor: amount, currency, risk = null } = found.payment;
  if (status === 'authorized') {
    const of = { provider: provider.alias, transactionId, sessionId, amount, currency };
    return { type: 'RecordAuthorization', ...of, expiresAt: found.payment.authorizedUntil ?? null };
  }
  if (status !== 'completed') return null;
  const payment = { provider: provider.alias, method: null, transactionId, sessionId, amount, currency };
  return { type: 'RecordProviderPayment', ...payment, webhookEventId: null, risk, settlement: null };
};

/** Tells a provider that a session is over. */
export const voidSessionBy =
  (providerBy: ProviderByAlias) =>
  async ({ provider: alias, sessionId, invoiceId }: VoidInput): Promise<VoidedSession> => {
    const provider = providerBy(alias);
    // No provider is left to tell.
    if (!provider?.void) return { sessionId, isVoided: true, paid: null };
    const idempotencyKey = derivedId('void-session', invoiceId, alias, sessionId);
    const asked = provider.void({ idempotencyKey, transactionId: sessionId });
    const told = await withProviderTimeout(asked, PROVIDER_TIMEOUT_MILLISECONDS);
    if (told.kind === 'completed') return { sessionId, isVoided: true, paid: null };
    if (told.kind !== 'refused') return { sessionId, isVoided: false, paid: null };
    const paid = await paidIn(provider, sessionId);
    return { sessionId, isVoided: paid !== undefined, paid: paid ?? null };
  };

/** Closes, at their providers, the sessions of invoices that are paid otherwise or closed. */
export const createVoiding = ({
  streams,
  runAlone,
  provider,
}: Pick<CommandDeps, 'streams'> & { readonly runAlone?: RunAlone; readonly provider: ProviderByAlias }) => {
  const calls: Performs<VoidingCalls> = { voidSession: voidSessionBy(provider) };
  const instances = createInstances({
    process: voidSessions,
    calls,
    streams,
    ...(runAlone && { runAlone }),
  });
  return {
    resume: (invoiceId: string, meta: CommandMeta) =>
      instances.run(invoiceId, meta, async () => {
        const invoice = (await streams.load(invoiceStream, invoiceId)).state;
        if (!isKnown(invoice) || invoice.sessionsToVoid.length === 0) return null;
        return { invoiceId, sessions: invoice.sessionsToVoid };
      }),
    drain: () => instances.drain(),
  };
};

export type Voiding = ReturnType<typeof createVoiding>;
