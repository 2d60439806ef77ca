import type { CommandEngine, CommandMeta } from '#command/engine/command-engine.ts';
import { createInstances, drive } from '#command/engine/process-runner.ts';
import type { RunAlone } from '#command/engine/run-alone.ts';
import { pause } from '#engine/back-off.ts';
import { stepMeta } from '#command/engine/request-meta.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import type { ChargeOutcome, PaymentProvider } from '#ports/payment-provider.ts';
import { isKnown, type InvoiceState, type KnownInvoice, type OpenAttempt } from '../orders/invoice.state.ts';
import type { PaymentCommand } from './payment.commands.ts';
import { paymentDecider } from './payment.decider.ts';
import { settlePayment, type SettlementInput, type SettlementStep } from './settle-payment.process.ts';

interface SettlementDeps {
  readonly commands: CommandEngine;
  readonly clock: Clock;
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

const openingOf = (invoice: KnownInvoice): SettlementInput | null => {
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

type Ask = (invoiceId: string, attempt: OpenAttempt) => Promise<ChargeOutcome>;

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
          const outcome = await ask(invoiceId, step.attempt);
          return { type: 'charged', attemptId: step.attempt.attemptId, outcome };
        }
        case 'capture': {
          const { attemptId, transactionId } = step;
          const state = await tell({ type: 'CapturePayment', attemptId, transactionId });
          return { type: 'captured', isPaid: isKnown(state) && state.balance.paymentStatus === 'Paid' };
        }
        case 'decline': {
          const { attemptId, code, message } = step;
          await tell({ type: 'DeclinePayment', attemptId, code, message });
          return { type: 'ended' };
        }
        case 'giveUp': {
          const reason = 'the provider could not be reached';
          await tell({ type: 'GiveUpAttempt', attemptId: step.attemptId, reason });
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

/**
 * Asks providers to charge. That a provider cannot be reached says nothing of an earlier time it was asked: only the
 * first ask can end an attempt that way, else the shopper might be charged by that one and by the next attempt.
 */
const createTill = (deps: SettlementDeps) => {
  const neverAsked = new Set<string>();
  const ask: Ask = async (invoiceId, attempt) => {
    const { attemptId: idempotencyKey, amount: amountMinor, currency, token } = attempt;
    const isFirst = neverAsked.delete(idempotencyKey);
    const provider = deps.provider(attempt.provider);
    if (!provider || token === null) return { kind: 'unknownOutcome' };
    const asked = provider.charge({ idempotencyKey, invoiceId, amountMinor, currency, token });
    const outcome = await answerInTime(
      asked,
      deps.providerTimeoutMilliseconds ?? PROVIDER_TIMEOUT_MILLISECONDS,
    );
    return outcome.kind === 'unavailable' && !isFirst ? { kind: 'unknownOutcome' } : outcome;
  };
  return { ask, expect: (attemptId: string) => void neverAsked.add(attemptId) };
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
      context: () => ({ invoiceId, now: isoInstant(clock.now()) }),
      meta,
      isProcessStep: command.type !== 'AttemptPayment' && command.type !== 'RecordDirectPayment',
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
    record: async (invoiceId: string, command: PaymentCommand, meta: CommandMeta) => {
      const recorded = await send(invoiceId, command, meta);
      const [event] = recorded.events;
      if (event?.type === 'PaymentAttempted' && !recorded.isRepeat) till.expect(event.data.attemptId);
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
