import type { CommandEngine, CommandMeta } from '#command/engine/command-engine.ts';
import { createInstances, drive } from '#command/engine/process-runner.ts';
import type { RunAlone } from '#command/engine/run-alone.ts';
import { pause } from '#engine/back-off.ts';
import { stepMeta } from '#command/engine/request-meta.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import type { ChargeOutcome, PaymentProvider } from '#ports/payment-provider.ts';
import { isKnown, type InvoiceState, type KnownInvoice, type OpenAttempt } from '../orders/invoice.state.ts';
import type { UnpaidLimits } from '../orders/unpaid-invoice.state.ts';
import type { AttemptPayment, CardPayment, PaymentCommand } from './payment.commands.ts';
import { paymentDecider } from './payment.decider.ts';
import { settlePayment, type SettlementInput, type SettlementStep } from './settle-payment.process.ts';

interface SettlementDeps {
  readonly commands: CommandEngine;
  readonly clock: Clock;
  readonly settings: () => UnpaidLimits;
  readonly provider: (alias: string) => PaymentProvider | undefined;
  readonly providerTimeoutMilliseconds?: number;
  readonly runAlone?: RunAlone;
  /** Answers the business day of the customer's sale before this one. */
  readonly recordSale: (
    invoiceId: string,
    invoice: KnownInvoice,
    meta: CommandMeta,
  ) => Promise<string | null>;
  readonly completeBasket: (invoiceId: string, invoice: KnownInvoice, meta: CommandMeta) => Promise<void>;
  readonly confirmSale: (
    invoiceId: string,
    previousSaleDay: string | null,
    meta: CommandMeta,
  ) => Promise<number>;
}

const PROVIDER_TIMEOUT_MILLISECONDS = 25_000;
const LOOK_EVERY_MILLISECONDS = 50;
/** First asks that were recorded and not yet made; one that is forgotten is made as a later one. */
const FIRST_ASKS = 10_000;

/** A provider that says nothing in time has an unknown outcome: never a failure. */
const answerInTime = async (charge: Promise<ChargeOutcome>, milliseconds: number): Promise<ChargeOutcome> => {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<ChargeOutcome>((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'unknownOutcome' }), milliseconds);
  });
  try {
    return await Promise.race([charge.catch(() => ({ kind: 'unknownOutcome' }) as const), silence]);
  } finally {
    clearTimeout(timer);
  }
};

/** What one run found to do, and the position it reached. */
interface Run {
  /** The attempt that it asked the provider about; null when there was none. */
  readonly attemptId: string | null;
  readonly position: number;
}

/** Nobody is charged for an invoice that is closed: to ask for the outcome again could be just that. */
const openingOf = (invoice: KnownInvoice): SettlementInput | null => {
  if (invoice.status !== 'open') return null;
  if (invoice.openAttempt) return { type: 'attempted', attempt: invoice.openAttempt };
  return invoice.balance.paymentStatus === 'Paid' && !invoice.isConfirmed ? { type: 'paid' } : null;
};

const attemptOf = (opening: SettlementInput | null): string | null =>
  opening?.type === 'attempted' ? opening.attempt.attemptId : null;

type Send = (
  invoiceId: string,
  command: PaymentCommand,
  meta: CommandMeta,
) => Promise<{ readonly state: InvoiceState; readonly position: number }>;

/** Tried a few times and then refused; the steps that follow are tried until they are through. */
const isOfCaller = ({ type }: PaymentCommand): boolean =>
  type === 'AttemptPayment' || type === 'RecordDirectPayment' || type === 'RecordManualPayment';

type Recordable = CardPayment | Exclude<PaymentCommand, AttemptPayment>;

/** What a provider said, and who asked if it was the first to do so. */
interface Asked {
  readonly outcome: ChargeOutcome;
  readonly askId: string | null;
}

/** `announce` records that somebody else than the first asks, or that it is asked again. */
type Ask = (invoiceId: string, attempt: OpenAttempt, announce: () => Promise<InvoiceState>) => Promise<Asked>;

type Load = (invoiceId: string) => Promise<KnownInvoice>;

/** Carries out the steps of the process; `reached` is told the position of each command. */
const createSteps =
  (deps: SettlementDeps, send: Send, ask: Ask, load: Load) =>
  (invoiceId: string, meta: CommandMeta, reached: (position: number) => void) => {
    const tell = async (command: PaymentCommand): Promise<InvoiceState> => {
      const { state, position } = await send(invoiceId, command, meta);
      reached(position);
      return state;
    };
    return async (step: SettlementStep): Promise<SettlementInput> => {
      switch (step.step) {
        case 'charge': {
          const { attemptId } = step.attempt;
          const announce = () => tell({ type: 'AskAgain', attemptId });
          return { type: 'charged', attemptId, ...(await ask(invoiceId, step.attempt, announce)) };
        }
        case 'capture': {
          const { attemptId, transactionId } = step;
          const state = await tell({ type: 'CapturePayment', attemptId, transactionId });
          return {
            type: 'captured',
            isPaid: state.status === 'open' && state.balance.paymentStatus === 'Paid',
          };
        }
        case 'decline': {
          const { attemptId, code, message } = step;
          await tell({ type: 'DeclinePayment', attemptId, code, message });
          return { type: 'ended' };
        }
        case 'giveUp': {
          const reason = 'the provider could not be reached';
          const { attemptId, askId } = step;
          await tell({ type: 'GiveUpAttempt', attemptId, askId, reason });
          return { type: 'ended' };
        }
        case 'recordSale': {
          const previousSaleDay = await deps.recordSale(invoiceId, await load(invoiceId), meta);
          return { type: 'saleRecorded', previousSaleDay };
        }
        case 'completeBasket':
          await deps.completeBasket(invoiceId, await load(invoiceId), meta);
          return { type: 'basketCompleted' };
        case 'confirmSale':
          reached(await deps.confirmSale(invoiceId, step.previousSaleDay, meta));
          return { type: 'ended' };
      }
    };
  };

const unknown: Asked = { outcome: { kind: 'unknownOutcome' }, askId: null };

/**
 * Asks providers to charge. That a provider cannot be reached says nothing of an earlier time it was asked: only the
 * first ask can end an attempt that way, else the shopper might be charged by that one and by the next attempt. Who may
 * ask first stands in the event of the attempt; anybody else says so in the invoice's stream before asking, where the
 * first one meets it (docs/rules/payments.md#asking).
 */
const createTill = (deps: SettlementDeps) => {
  /** The asks that this process may be the first with; gone once made. */
  const firstAsks = new Map<string, string>();
  const ask: Ask = async (invoiceId, attempt, announce) => {
    const { attemptId: idempotencyKey, amount: amountMinor, currency, token, firstAsk } = attempt;
    const askId = firstAsks.get(idempotencyKey) ?? null;
    firstAsks.delete(idempotencyKey);
    const provider = deps.provider(attempt.provider);
    if (!provider || token === null) return unknown;
    const isFirst = askId !== null && askId === firstAsk;
    if (!isFirst && firstAsk !== null) {
      const invoice = await announce();
      const isOpen = isKnown(invoice) && invoice.openAttempt?.attemptId === idempotencyKey;
      if (!isOpen) return unknown;
    }
    const asked = provider.charge({ idempotencyKey, invoiceId, amountMinor, currency, token });
    const outcome = await answerInTime(
      asked,
      deps.providerTimeoutMilliseconds ?? PROVIDER_TIMEOUT_MILLISECONDS,
    );
    return outcome.kind === 'unavailable' && !isFirst ? unknown : { outcome, askId: isFirst ? askId : null };
  };
  const expect = (attemptId: string, askId: string): void => {
    firstAsks.set(attemptId, askId);
    const [oldest] = firstAsks.keys();
    if (oldest !== undefined && firstAsks.size > FIRST_ASKS) firstAsks.delete(oldest);
  };
  return { ask, expect };
};

/** Takes an invoice from a recorded attempt to an announced sale; one run at a time for each invoice. */
export const createSettlement = (deps: SettlementDeps) => {
  const { commands, clock } = deps;
  const instances = createInstances<Run>('settle-payment', deps.runAlone);
  const till = createTill(deps);
  const patience = deps.providerTimeoutMilliseconds ?? PROVIDER_TIMEOUT_MILLISECONDS;

  const send = (invoiceId: string, command: PaymentCommand, meta: CommandMeta) =>
    commands.execute({
      decider: paymentDecider,
      id: invoiceId,
      command,
      context: () => ({ invoiceId, now: isoInstant(clock.now()), unpaid: deps.settings() }),
      meta,
      isProcessStep: !isOfCaller(command),
    });

  const load = async (invoiceId: string): Promise<KnownInvoice> => {
    const { state } = await commands.load(paymentDecider, invoiceId);
    if (!isKnown(state)) throw new Error(`invoice ${invoiceId} is being settled but is not in the log`);
    return state;
  };

  const stepsFor = createSteps(deps, send, till.ask, load);

  const runOnce = async (invoiceId: string, meta: CommandMeta): Promise<Run> => {
    const opening = openingOf(await load(invoiceId));
    let position = 0;
    const perform = stepsFor(invoiceId, meta, (at) => (position = Math.max(position, at)));
    if (opening) await drive(settlePayment, opening, perform);
    return { attemptId: attemptOf(opening), position };
  };

  return {
    /** Records an attempt or a direct payment. Errors: the rejections of `paymentDecider`. */
    record: async (invoiceId: string, payment: Recordable, meta: CommandMeta) => {
      const askId = newId();
      const command = payment.type === 'AttemptPayment' ? { ...payment, askId } : payment;
      const recorded = await send(invoiceId, command, meta);
      const [event] = recorded.events;
      // A repeat is handed what the first run appended: that one's right to ask.
      if (event?.type === 'PaymentAttempted' && event.data.askId === askId)
        till.expect(event.data.attemptId, askId);
      return recorded;
    },

    /** Goes on from where the invoice's stream stands, and answers the position it reached. Harmless to repeat. */
    settle: async (invoiceId: string, cause: CommandMeta): Promise<number> => {
      const deadline = performance.now() + patience;
      let reached = 0;
      for (;;) {
        const run = await instances.run(invoiceId, () => runOnce(invoiceId, stepMeta(cause)));
        reached = Math.max(reached, run?.position ?? 0);
        // A run that was under way may have begun before what the caller has just recorded.
        const left = openingOf(await load(invoiceId));
        if (left === null || (run && left.type === 'attempted' && attemptOf(left) === run.attemptId))
          return reached;
        // Another process is at it, and waits for the provider as long as this one would.
        if (run === null && performance.now() >= deadline) return reached;
        if (run === null) await pause(LOOK_EVERY_MILLISECONDS);
      }
    },

    load: async (invoiceId: string): Promise<InvoiceState> =>
      (await commands.load(paymentDecider, invoiceId)).state,
    drain: instances.drain,
  };
};

export type Settlement = ReturnType<typeof createSettlement>;
