import type { CommandEngine, CommandMeta } from '#command/engine/command-engine.ts';
import { createInstances, drive } from '#command/engine/process-runner.ts';
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

/** Takes an invoice from a recorded attempt to an announced sale; one run at a time for each invoice. */
export const createSettlement = (deps: SettlementDeps) => {
  const { commands, clock } = deps;
  const instances = createInstances<number>();

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

  const charge = async (invoiceId: string, attempt: OpenAttempt): Promise<ChargeOutcome> => {
    const provider = deps.provider(attempt.provider);
    if (!provider || attempt.token === null) return { kind: 'unknownOutcome' };
    const { attemptId: idempotencyKey, amount: amountMinor, currency, token } = attempt;
    const asked = provider.charge({ idempotencyKey, invoiceId, amountMinor, currency, token });
    return answerInTime(asked, deps.providerTimeoutMilliseconds ?? PROVIDER_TIMEOUT_MILLISECONDS);
  };

  const perform =
    (invoiceId: string, meta: CommandMeta, reached: (position: number) => void) =>
    async (step: SettlementStep): Promise<SettlementInput> => {
      switch (step.step) {
        case 'charge': {
          const outcome = await charge(invoiceId, step.attempt);
          return { type: 'charged', attemptId: step.attempt.attemptId, outcome };
        }
        case 'capture': {
          const { attemptId, transactionId } = step;
          const done = await send(invoiceId, { type: 'CapturePayment', attemptId, transactionId }, meta);
          reached(done.position);
          const isPaid = isKnown(done.state) && done.state.balance.paymentStatus === 'Paid';
          return { type: 'captured', isPaid };
        }
        case 'decline': {
          const { attemptId, code, message } = step;
          reached(
            (await send(invoiceId, { type: 'DeclinePayment', attemptId, code, message }, meta)).position,
          );
          return { type: 'ended' };
        }
        case 'giveUp': {
          const reason = 'the provider could not be reached';
          await send(invoiceId, { type: 'GiveUpAttempt', attemptId: step.attemptId, reason }, meta);
          return { type: 'ended' };
        }
        case 'recordSale':
          return {
            type: 'saleRecorded',
            previousSaleDay: await deps.recordSale(invoiceId, await load(invoiceId), meta),
          };
        case 'completeBasket':
          await deps.completeBasket(invoiceId, await load(invoiceId), meta);
          return { type: 'basketCompleted' };
        case 'confirmSale':
          reached(await deps.confirmSale(invoiceId, step.previousSaleDay, meta));
          return { type: 'ended' };
      }
    };

  const openingOf = (invoice: KnownInvoice): SettlementInput | null => {
    if (invoice.openAttempt) return { type: 'attempted', attempt: invoice.openAttempt };
    return invoice.balance.paymentStatus === 'Paid' && !invoice.isConfirmed ? { type: 'paid' } : null;
  };

  return {
    /** Records an attempt or a direct payment. Errors: the rejections of `paymentDecider`. */
    record: (invoiceId: string, command: PaymentCommand, meta: CommandMeta) => send(invoiceId, command, meta),

    /** Goes on from where the invoice's stream stands, and answers the position it reached. Harmless to repeat. */
    settle: (invoiceId: string, cause: CommandMeta): Promise<number> =>
      instances.run(invoiceId, async () => {
        const meta = stepMeta(cause);
        const opening = openingOf(await load(invoiceId));
        let position = 0;
        const reached = (at: number): void => {
          position = Math.max(position, at);
        };
        if (opening) await drive(settlePayment, opening, perform(invoiceId, meta, reached));
        return position;
      }),

    load: async (invoiceId: string): Promise<InvoiceState> =>
      (await commands.load(paymentDecider, invoiceId)).state,
    drain: instances.drain,
  };
};

export type Settlement = ReturnType<typeof createSettlement>;
