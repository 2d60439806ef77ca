import { actorName } from '#kernel/event.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { withProviderTimeout, PROVIDER_TIMEOUT_MILLISECONDS } from '#command/engine/provider-timeout.ts';
import type { RunAlone } from '#command/engine/run-alone.ts';
import { createInstances, type Performs } from '#command/engine/run-process.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { notFound } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentCallback } from '#ports/payment-callback.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import { isKnown, type Payment } from '../../invoices/invoice.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import type { ProviderPayments } from '../callbacks/provider-payments.actions.ts';
import type { Meant } from '../providers/ask-provider.ts';
import { settleUnmatched, type UnmatchedCalls } from './settle-unmatched.process.ts';
import type { UnmatchedPaymentCommand } from './unmatched-payment.commands.ts';
import type { KnownUnmatchedPayment } from './unmatched-payment.state.ts';
import { unmatchedPaymentId, unmatchedPaymentStream } from './unmatched-payment.stream.ts';

interface UnmatchedDeps extends Pick<CommandDeps, 'streams'> {
  /** Also one that is not offered any more: it still gives back what it took. */
  readonly provider: (alias: string) => PaymentProvider | undefined;
  readonly record: ProviderPayments['recordProviderPayment'];
  readonly meant: (provider: string, reference: string) => Promise<Meant>;
  readonly runAlone?: RunAlone;
}

const REASON = 'There is no order for this payment.';

/** A payment as it stands, and the position that it has reached. */
export interface UnmatchedAt {
  readonly id: string;
  readonly payment: KnownUnmatchedPayment;
  readonly position: number;
}

/** The books of a provider for tests have to know of what it may be asked to give back. */
const enter = async (
  provider: PaymentProvider | undefined,
  {
    transactionId,
    amount: amountMinor,
    currency,
  }: Pick<KnownUnmatchedPayment, 'transactionId' | 'amount' | 'currency'>,
  invoiceId: string,
): Promise<void> => {
  const told = { type: 'PaymentCompleted', refundId: null, transactionId, amountMinor, currency } as const;
  await provider?.accepted?.({ ...told, invoiceId });
};

const callsBy = ({ provider, record }: UnmatchedDeps): Performs<UnmatchedCalls> => ({
  place: async ({ payment, invoiceId }, meta) => {
    const { provider: alias, transactionId, amount, currency } = payment;
    await enter(provider(alias), payment, invoiceId);
    const money = { provider: alias, transactionId, amount, currency, sessionId: null, method: null };
    const more = { keptMethodId: null, webhookEventId: null, risk: null, settlement: null };
    return record(invoiceId, { ...money, ...more }, meta);
  },
  giveBack: async ({ payment, refund }) => {
    const asked = provider(payment.provider);
    const { refundId: idempotencyKey, amount: amountMinor } = refund;
    const { transactionId, currency } = payment;
    const request = { idempotencyKey, transactionId, amountMinor, currency, reason: REASON };
    const answer =
      refund.transactionId === null
        ? asked?.refund?.(request)
        : asked?.lookUpRefund?.({ transactionId: refund.transactionId });
    if (answer) return withProviderTimeout(answer, PROVIDER_TIMEOUT_MILLISECONDS);
    const message = `The provider ${payment.provider} gives nothing back: do it there.`;
    return asked?.refund ? { kind: 'unknownOutcome' } : { kind: 'refused', code: 'not_supported', message };
  },
});

type Decide = (id: string, command: UnmatchedPaymentCommand, meta: CommandMeta) => Promise<UnmatchedAt>;

/** Drives a payment from what staff have decided to where that is carried out, or waits for its provider. */
const createDriver = (deps: UnmatchedDeps) => {
  const { streams, runAlone } = deps;
  const instances = createInstances({
    process: settleUnmatched,
    calls: callsBy(deps),
    streams,
    ...(runAlone && { runAlone }),
  });
  const load = async (id: string) => (await streams.load(unmatchedPaymentStream, id)).state;
  const resume = (id: string, meta: CommandMeta) =>
    instances.run(id, meta, async () => {
      const payment = await load(id);
      return payment && (payment.status === 'matched' || payment.refund) ? { id, payment } : null;
    });
  const decide: Decide = async (id, command, meta) => {
    const decided = await streams.send(unmatchedPaymentStream, id, command, meta);
    const run = await resume(id, meta);
    const payment = await load(id);
    if (payment === null) throw notFound('payment');
    return { id, payment, position: Math.max(decided.position, run?.position ?? 0) };
  };
  return { load, resume, decide, drain: () => instances.drain() };
};

type Load = ReturnType<typeof createDriver>['load'];

const sendBy =
  ({ streams }: UnmatchedDeps) =>
  (id: string, command: UnmatchedPaymentCommand, meta: CommandMeta) =>
    streams.send(unmatchedPaymentStream, id, command, meta, { isProcessStep: true });

/** What providers tell of such money. Errors: `EngineUnavailable`. */
const toldBy = (deps: UnmatchedDeps, load: Load) => {
  const send = sendBy(deps);
  return {
    /** Keeps payments that match no invoice. */
    receive: async (
      provider: string,
      { transactionId, amountMinor: amount, currency, invoiceId: namedInvoiceId }: PaymentCallback,
      meta: CommandMeta,
    ): Promise<void> => {
      if (transactionId === null || amount === null || amount <= 0 || currency === null) return;
      const money = { transactionId, amount, currency };
      await enter(deps.provider(provider), money, '');
      const command = { type: 'ReceiveUnmatchedPayment', provider, ...money } as const;
      await send(unmatchedPaymentId(provider, transactionId), { ...command, namedInvoiceId }, meta);
    },
    /** Whether it was given back, or is about to be, before it could be on an invoice. */
    isGivenBack: async (provider: string, transactionId: string): Promise<boolean> => {
      const payment = await load(unmatchedPaymentId(provider, transactionId));
      if (payment?.status !== 'open') return payment?.status === 'refunded';
      return payment.refund !== null || payment.left < payment.amount;
    },
    /** What a provider tells of a refund of such a payment; false: there is none. */
    refundTold: async (provider: string, event: PaymentCallback, meta: CommandMeta): Promise<boolean> => {
      const { transactionId: of, refundId, eventId, amountMinor: amount, type, reason } = event;
      if (of === null) return false;
      const id = unmatchedPaymentId(provider, of);
      if ((await load(id)) === null) return false;
      const failure = type === 'RefundFailed' ? (reason ?? 'The refund has failed.') : null;
      const transactionId = refundId ?? eventId;
      await send(id, { type: 'ReportUnmatchedRefund', transactionId, amount, failure }, meta);
      return true;
    },
  };
};

/** The payment; its order may have been placed since. Errors: `entity-not-found`, `provider-unavailable`. */
const existingBy =
  (deps: UnmatchedDeps, load: Load) =>
  async (id: string, meta: CommandMeta): Promise<KnownUnmatchedPayment> => {
    const payment = await load(id);
    if (payment === null) throw notFound('payment');
    if (payment.status !== 'open') return payment;
    const { provider, transactionId } = payment;
    const { invoiceId } = await deps.meant(provider, transactionId);
    if (invoiceId === null) return payment;
    const invoice = (await deps.streams.load(invoiceStream, invoiceId)).state;
    if (!isKnown(invoice)) return payment;
    const isIt = (made: Payment): boolean =>
      made.provider === provider && made.transactionId === transactionId;
    if (!invoice.payments.some(isIt)) return payment;
    const placed = await sendBy(deps)(id, { type: 'NoteUnmatchedPaymentPlaced', invoiceId }, meta);
    return placed.state ?? payment;
  };

/** Money that no invoice is paid by: it waits until staff match it, or give it back. */
export const createUnmatchedActions = (deps: UnmatchedDeps) => {
  const { load, resume, decide, drain } = createDriver(deps);
  const existing = existingBy(deps, load);
  return {
    ...toldBy(deps, load),
    /** Errors: `entity-not-found`, `invoice-not-found`, `other-currency`, `unmatched-payment-settled`. */
    match: async (id: string, invoiceId: string, meta: CommandMeta): Promise<UnmatchedAt> => {
      const payment = await existing(id, meta);
      const invoice = (await deps.streams.load(invoiceStream, invoiceId)).state;
      if (!isKnown(invoice) || invoice.status === 'deleted')
        throw new Rejection('invoice-not-found', 'There is no such invoice.');
      const { currency } = invoice.content;
      if (currency !== payment.currency)
        throw new Rejection(
          'other-currency',
          `The payment is in ${payment.currency}, the invoice in ${currency}: give it back instead.`,
        );
      return decide(id, { type: 'MatchUnmatchedPayment', invoiceId, by: actorName(meta.actor) }, meta);
    },
    /** Gives back what is left of it. Errors: `entity-not-found`, `unmatched-payment-settled`. */
    refund: async (id: string, meta: CommandMeta): Promise<UnmatchedAt> => {
      await existing(id, meta);
      return decide(id, { type: 'RefundUnmatchedPayment', by: actorName(meta.actor) }, meta);
    },
    resume,
    drain,
  };
};

export type UnmatchedActions = ReturnType<typeof createUnmatchedActions>;
