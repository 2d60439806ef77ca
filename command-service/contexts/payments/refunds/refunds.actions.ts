import { actorName } from '#kernel/event.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { withProviderTimeout, PROVIDER_TIMEOUT_MILLISECONDS } from '#command/engine/provider-timeout.ts';
import { createInstances, type Performs } from '#command/engine/run-process.ts';
import type { RunAlone } from '#command/engine/run-alone.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { derivedId, newId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import { pause } from '#runtime/back-off.ts';
import { isKnown, owedPayments, type InvoiceState, type KnownInvoice } from '../../invoices/invoice.state.ts';
import type { Refund } from '../../invoices/refunds/refunds.state.ts';
import { refundPayment, type OpenRefund, type RefundCalls } from './refund-payment.process.ts';
import type { PaymentsApi } from '../../invoices/payments/payment.commands.ts';
import type { StartRefund } from '../../invoices/refunds/refund.commands.ts';
import { OWED_REASON, owedRefundId, refundIdOf } from '../../invoices/refunds/refund-events.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';

interface RefundDeps extends Pick<CommandDeps, 'streams'> {
  /** Also one that is not offered any more: it still gives back what it took. */
  readonly provider: (alias: string) => PaymentProvider | undefined;
  readonly providerTimeoutMilliseconds?: number;
  readonly runAlone?: RunAlone;
}

/** What staff want given back; minor units, null: everything that is left. */
export interface WantedRefund {
  readonly amount: number | null;
  readonly reason: string;
  readonly isManual: boolean;
}

/** A refund as it stands, of an invoice as it is. */
export interface MadeRefund {
  readonly invoice: KnownInvoice;
  readonly refund: Refund;
  readonly position: number;
}

const LOOK_EVERY_MILLISECONDS = 50;

const refundIn = (state: InvoiceState, refundId: string): Refund | undefined =>
  isKnown(state) ? state.refunds.find((refund) => refund.refundId === refundId) : undefined;

const isUnavailable = (refund: Refund): boolean => refund.decline?.code === 'unavailable';

/** Drives one refund to what the provider says of it, or to where it waits for an answer. */
const createDriver = ({ streams, provider, runAlone, ...options }: RefundDeps) => {
  const patience = options.providerTimeoutMilliseconds ?? PROVIDER_TIMEOUT_MILLISECONDS;

  const ask: Performs<RefundCalls>['refund'] = async ({ refund, transactionId }) => {
    const asked = provider(refund.provider);
    // A key is not remembered for ever, and a refund may take weeks: what was taken on is only looked up.
    if (refund.transactionId !== null) {
      const lookedUp = asked?.lookUpRefund?.({ transactionId: refund.transactionId });
      return lookedUp ? withProviderTimeout(lookedUp, patience) : { kind: 'unknownOutcome' };
    }
    if (!asked?.refund) return { kind: 'unknownOutcome' };
    const { refundId: idempotencyKey, amount: amountMinor, currency, reason } = refund;
    const request = { idempotencyKey, transactionId, amountMinor, currency, reason: reason ?? '' };
    return withProviderTimeout(asked.refund(request), patience);
  };

  const instances = createInstances({
    process: refundPayment,
    calls: { refund: ask },
    streams,
    ...(runAlone && { runAlone }),
  });

  const load = async (invoiceId: string): Promise<InvoiceState> =>
    (await streams.load(invoiceStream, invoiceId)).state;

  const open = async (
    invoiceId: string,
    refundId: string,
    askId: string | null,
  ): Promise<OpenRefund | null> => {
    const state = await load(invoiceId);
    const refund = refundIn(state, refundId);
    if (!isKnown(state) || refund?.status !== 'underWay') return null;
    const payment = state.payments.find(({ paymentId }) => paymentId === refund.paymentId);
    return payment ? { invoiceId, refund, transactionId: payment.transactionId, askId } : null;
  };

  return {
    load,
    /** The position that it reached. */
    drive: async (
      invoiceId: string,
      refundId: string,
      askId: string | null,
      meta: CommandMeta,
    ): Promise<number> => {
      const deadline = performance.now() + patience;
      for (;;) {
        const run = await instances.run(refundId, meta, () => open(invoiceId, refundId, askId));
        if (run !== null || performance.now() >= deadline) return run?.position ?? 0;
        if (refundIn(await load(invoiceId), refundId)?.status !== 'underWay') return 0;
        // Another process is at it, and waits for the provider as long as this one would.
        await pause(LOOK_EVERY_MILLISECONDS);
      }
    },
    drain: () => instances.drain(),
  };
};

/** Gives back what staff want, and what came too late (docs/rules/refunds.md). */
export const createRefunds = (deps: RefundDeps) => {
  const { streams, provider } = deps;
  const { load, drive, drain } = createDriver(deps);

  const canOf = (alias: string): StartRefund['can'] => {
    const found = provider(alias);
    const can = { refunds: false, partialRefunds: false };
    return found?.refund && found.supports.refunds ? { ...found.supports } : can;
  };

  const providerOf = (state: InvoiceState, paymentId: string): string =>
    (isKnown(state) && state.payments.find((made) => made.paymentId === paymentId)?.provider) || '';

  /** Records a refund, and asks its provider. Errors: those of `invoiceDecider`. */
  const begin = async (
    invoiceId: string,
    wanted: Pick<StartRefund, 'refundId' | 'paymentId' | 'amount' | 'reason' | 'by' | 'how'>,
    meta: CommandMeta,
  ): Promise<{ readonly refundId: string; readonly position: number }> => {
    const askId = newId();
    const can = canOf(providerOf(await load(invoiceId), wanted.paymentId));
    const command = { type: 'StartRefund', ...wanted, can, askId } as const;
    const recorded = await streams.send(invoiceStream, invoiceId, command, meta, {
      isProcessStep: wanted.how === 'owed',
    });
    const [event] = recorded.events;
    // A repeat is handed what the first run appended: that one's refund, and its right to ask.
    const refundId = event && 'refundId' in event.data ? event.data.refundId : wanted.refundId;
    const isOurs = event?.type === 'RefundAttempted' && event.data.askId === askId;
    const driven = await drive(invoiceId, refundId, isOurs ? askId : null, meta);
    return { refundId, position: Math.max(recorded.position, driven) };
  };

  const owed = async (
    invoiceId: string,
    wanted: Pick<StartRefund, 'refundId' | 'paymentId' | 'amount' | 'reason'>,
    meta: CommandMeta,
  ): Promise<void> => {
    await begin(invoiceId, { ...wanted, how: 'owed', by: 'system' }, meta);
  };

  const apis: Pick<PaymentsApi, 'refund'> = {
    refund: (invoiceId, paymentId, { key, amount, reason }, meta) =>
      owed(invoiceId, { refundId: refundIdOf(paymentId, key), paymentId, amount, reason }, meta),
  };

  return {
    ...apis,
    load,
    canOf,
    refundByStaff: refundByStaff(begin, load),

    resume: resume(load, drive, owed),
    /** Looks up one that its provider has taken on. */
    lookUp: (invoiceId: string, refundId: string, meta: CommandMeta): Promise<number> =>
      drive(invoiceId, refundId, null, meta),
    drain,
  };
};

type Load = (invoiceId: string) => Promise<InvoiceState>;

/** Goes on with what is under way, and gives back what came too late. */
const resume =
  (
    load: Load,
    drive: ReturnType<typeof createDriver>['drive'],
    owed: (
      invoiceId: string,
      wanted: Pick<StartRefund, 'refundId' | 'paymentId' | 'amount' | 'reason'>,
      meta: CommandMeta,
    ) => Promise<void>,
  ) =>
  async (invoiceId: string, meta: CommandMeta): Promise<void> => {
    const state = await load(invoiceId);
    if (!isKnown(state)) return;
    const reason = OWED_REASON;
    for (const { paymentId } of owedPayments(state))
      await owed(invoiceId, { refundId: owedRefundId(paymentId), paymentId, amount: null, reason }, meta);
    for (const { refundId, status, transactionId } of state.refunds)
      if (status === 'underWay' && transactionId === null) await drive(invoiceId, refundId, null, meta);
  };

type Begin = (
  invoiceId: string,
  wanted: Pick<StartRefund, 'refundId' | 'paymentId' | 'amount' | 'reason' | 'by' | 'how'>,
  meta: CommandMeta,
) => Promise<{ readonly refundId: string; readonly position: number }>;

/**
 * A refund that staff ask for, and what came of it. Errors: those of `invoiceDecider`, `refund-declined` after the
 * provider's no, `provider-unavailable` when it could not be reached and nothing was given back.
 */
const refundByStaff =
  (begin: Begin, load: Load) =>
  async (
    invoiceId: string,
    paymentId: string,
    { amount, reason, isManual }: WantedRefund,
    meta: CommandMeta,
  ): Promise<MadeRefund> => {
    const by = actorName(meta.actor);
    const how = isManual ? 'hand' : 'provider';
    for (let tried = meta; ;) {
      const asked = newId();
      const wanted = { refundId: asked, paymentId, amount, reason, by, how } as const;
      const { refundId, position } = await begin(invoiceId, wanted, tried);
      const invoice = await load(invoiceId);
      const refund = refundIn(invoice, refundId);
      if (!isKnown(invoice) || !refund)
        throw new Error(`refund ${refundId} of ${invoiceId} is not in the log`);
      if (refund.decline === null) return { invoice, refund, position };
      // The same request once more, under its key: what could not be reached then may be now.
      if (isUnavailable(refund) && refundId !== asked && tried.commandId !== undefined) {
        tried = { ...meta, commandId: derivedId('refund-again', tried.commandId, refundId) };
        continue;
      }
      if (!isUnavailable(refund)) throw new Rejection('refund-declined', refund.decline.message);
      throw new Rejection(
        'provider-unavailable',
        'The payment provider cannot be reached. Nothing was given back; try again.',
      );
    }
  };

export type Refunds = ReturnType<typeof createRefunds>;
