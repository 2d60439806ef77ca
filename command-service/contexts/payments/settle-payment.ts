import type { CommandMeta, Loaded } from '#command/engine/command-engine.ts';
import { PROVIDER_TIMEOUT_MILLISECONDS } from '#command/engine/provider-timeout.ts';
import { createInstances, type Performs } from '#command/engine/run-process.ts';
import type { RunAlone } from '#command/engine/run-alone.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { pause } from '#runtime/back-off.ts';
import { newId } from '#kernel/ids.ts';
import { nextBasketId } from '../basket/basket.state.ts';
import { isKnown, isSold, type InvoiceState, type KnownInvoice } from '../invoices/invoice.state.ts';
import { outstandingToNote } from '../invoices/payments/owed.state.ts';
import { chargeBy, type ChargeDeps } from './charging/charge-attempt.ts';
import { payerOf } from './charging/save-method.ts';
import type { AttemptPayment, CardPayment, PaymentCommand } from '../invoices/payments/payment.commands.ts';
import { invoiceStream } from '../invoices/invoice.stream.ts';
import { settlePayment, type SettlementCalls, type OpenSettlement } from './settle-payment.process.ts';

interface SettlementDeps extends Pick<CommandDeps, 'streams' | 'keyedHash'>, ChargeDeps {
  readonly runAlone?: RunAlone;
  /** Told of an invoice that is settled as far as it goes. */
  readonly afterwards?: (invoiceId: string, invoice: KnownInvoice, cause: CommandMeta) => void;
}

const LOOK_EVERY_MILLISECONDS = 50;
/**
 * Any other caller records that it asks (docs/rules/payments.md#asking); while a provider is being asked, none does.
 */
const asFirst = { leaseAfterMilliseconds: 100 };
/** First asks that were recorded and not yet made; one that is forgotten is made as a later one. */
const FIRST_ASKS = 10_000;

/** A closed invoice is never charged, and asking for the outcome again could do just that. */
const isOpen = (invoice: KnownInvoice): boolean => {
  const { status, openAttempt, isConfirmed } = invoice;
  const isToBeSettled = status === 'open' && (openAttempt !== null || (isSold(invoice) && !isConfirmed));
  return isToBeSettled || outstandingToNote(invoice) !== null;
};

type Recordable = CardPayment | Exclude<PaymentCommand, AttemptPayment>;

/** The asks that this process may be the first with (docs/rules/payments.md#asking); gone once taken. */
const createFirstAsks = () => {
  const asks = new Map<string, string>();
  return {
    expect: (attemptId: string, askId: string): void => {
      asks.set(attemptId, askId);
      const [oldest] = asks.keys();
      if (oldest !== undefined && asks.size > FIRST_ASKS) asks.delete(oldest);
    },
    isFor: (known: InvoiceState): boolean =>
      isKnown(known) && known.openAttempt !== null && asks.has(known.openAttempt.attemptId),
    take: (attemptId: string): string | null => {
      const askId = asks.get(attemptId) ?? null;
      asks.delete(attemptId);
      return askId;
    },
  };
};

const createInvoiceLookup = (streams: SettlementDeps['streams']) => ({
  load: async (invoiceId: string): Promise<InvoiceState> =>
    (await streams.load(invoiceStream, invoiceId)).state,
  recall: async (invoiceId: string): Promise<InvoiceState> =>
    (await streams.recall(invoiceStream, invoiceId)).state,
});

/** What a provider will be asked with stands in the log with the key (docs/rules/payments.md#asking). */
const attemptOf = async (
  deps: Pick<SettlementDeps, 'provider' | 'apis' | 'ownAddress'>,
  payment: CardPayment,
  askId: string,
): Promise<AttemptPayment> => {
  const ownAddress = deps.ownAddress ?? payment.ownAddress ?? '';
  const attempted = { ...payment, askId, ownAddress };
  const provider = payment.saveFor && deps.provider(payment.provider);
  const payer = payment.saveFor && provider ? await payerOf(deps, provider, payment.saveFor) : null;
  return payer === null ? attempted : { ...attempted, payer };
};

const recordBy =
  (
    deps: Pick<SettlementDeps, 'streams' | 'provider' | 'apis' | 'ownAddress'>,
    firstAsks: ReturnType<typeof createFirstAsks>,
  ) =>
  async (invoiceId: string, payment: Recordable, meta: CommandMeta) => {
    const { streams } = deps;
    const askId = newId();
    const command = payment.type === 'AttemptPayment' ? await attemptOf(deps, payment, askId) : payment;
    const recorded = await streams.send(invoiceStream, invoiceId, command, meta);
    const [event] = recorded.events;
    // A repeat is handed what the first run appended: that one's right to ask.
    if (event?.type === 'PaymentAttempted' && event.data.askId === askId)
      firstAsks.expect(event.data.attemptId, askId);
    return recorded;
  };

/** What settling asks of the outside: the provider's charge, and what to offer after the purchase. */
const callsBy = (
  options: Omit<SettlementDeps, 'streams' | 'keyedHash' | 'runAlone'>,
  patience: number,
): Performs<SettlementCalls> => ({
  charge: chargeBy(options, patience),
  offerAfterwards: async ({ invoiceId, chargedMethodId }, meta) =>
    (await options.apis?.postPurchase?.offerFor(invoiceId, chargedMethodId, meta)) ?? null,
});

/** Takes an invoice from a recorded attempt to an announced sale; one run at a time for each invoice. */
export const createSettlement = ({ streams, keyedHash, runAlone, ...options }: SettlementDeps) => {
  const patience = options.providerTimeoutMilliseconds ?? PROVIDER_TIMEOUT_MILLISECONDS;
  const firstAsks = createFirstAsks();

  const instances = createInstances({
    process: settlePayment,
    calls: callsBy(options, patience),
    streams,
    ...(runAlone && { runAlone }),
  });

  const { load, recall } = createInvoiceLookup(streams);
  /** An attempt that was recorded here a moment ago is known here; any other may have ended elsewhere meanwhile. */
  const toSettle = async (invoiceId: string): Promise<Loaded<InvoiceState>> => {
    const known = await streams.recall(invoiceStream, invoiceId);
    const { state } = known;
    const isOurs = isKnown(state) && (state.openAttempt === null || firstAsks.isFor(state));
    return isOurs ? known : streams.load(invoiceStream, invoiceId);
  };

  const open = async (invoiceId: string): Promise<OpenSettlement | null> => {
    const { state, revision } = await toSettle(invoiceId);
    if (!isKnown(state)) throw new Error(`invoice ${invoiceId} is being settled but is not in the log`);
    if (!isOpen(state)) return null;
    const invoice = state.status === 'open' ? state : { ...state, openAttempt: null };
    const { basketId } = invoice.content;
    return {
      invoiceId,
      invoice,
      revision,
      askId: invoice.openAttempt && firstAsks.take(invoice.openAttempt.attemptId),
      nextBasketId: basketId === null ? null : nextBasketId(basketId, keyedHash),
      mayOffer: !invoice.isConfirmed && (options.apis?.postPurchase?.mayOffer() ?? false),
    };
  };

  return {
    /** Records what is paid, or said of it. Errors: the rejections of `invoiceDecider`. */
    record: recordBy({ streams, ...options }, firstAsks),

    /** Goes on from where the invoice's stream stands, and returns the position it reached. Harmless to repeat. */
    settle: async (invoiceId: string, cause: CommandMeta): Promise<number> => {
      const deadline = performance.now() + patience;
      let reached = 0;
      for (;;) {
        const how = firstAsks.isFor(await recall(invoiceId)) ? asFirst : {};
        const run = await instances.run(invoiceId, cause, () => open(invoiceId), how);
        reached = Math.max(reached, run?.position ?? 0);
        // A run that was under way may have begun before what the caller has just recorded.
        const left = await (run ? recall(invoiceId) : load(invoiceId));
        if (!isKnown(left)) return reached;
        if (!isOpen(left)) {
          options.afterwards?.(invoiceId, left, cause);
          return reached;
        }
        const asked = run?.start.invoice.openAttempt?.attemptId;
        if (left.openAttempt && left.openAttempt.attemptId === asked) return reached;
        // Another process is at it, and waits for the provider as long as this one would.
        if (run === null && performance.now() >= deadline) return reached;
        if (run === null) await pause(LOOK_EVERY_MILLISECONDS);
      }
    },

    /** The invoice as it is. */
    load,
    /** The invoice as this process knows it (`CommandEngine.recall`). */
    recall,
    drain: () => instances.drain(),
  };
};

export type Settlement = ReturnType<typeof createSettlement>;
