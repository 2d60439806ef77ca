import type { CommandMeta } from '#command/engine/command-engine.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isKnown } from '../orders/invoice.state.ts';
import type {
  AwaitProviderPayment,
  DeclineProviderPayment,
  PaymentsForNeighbours,
  ProviderPaymentRecorded,
  RecordProviderPayment,
} from './payment.commands.ts';
import type { PaymentReferences } from './payment-references.ts';
import type { Settlement } from './settle-payment.ts';

interface ProviderPaymentDeps {
  readonly settlement: Settlement;
  readonly references: Pick<PaymentReferences, 'keep'>;
  readonly invoiceOf: PaymentsForNeighbours['invoiceOf'];
}

const record =
  ({ settlement }: ProviderPaymentDeps) =>
  async (
    invoiceId: string,
    payment: Omit<RecordProviderPayment, 'type'>,
    meta: CommandMeta,
  ): Promise<ProviderPaymentRecorded> => {
    const command = { type: 'RecordProviderPayment', ...payment } as const;
    const recorded = await settlement.record(invoiceId, command, meta).catch((error: unknown) => {
      if (error instanceof Rejection && error.code === 'other-currency') return null;
      throw error;
    });
    if (recorded === null) return { kind: 'otherCurrency', paymentId: null, isOwedBack: false, position: 0 };
    const settled = await settlement.settle(invoiceId, meta);
    const { state } = recorded;
    const made = isKnown(state)
      ? state.payments.find(
          ({ provider, transactionId }) =>
            provider === payment.provider && transactionId === payment.transactionId,
        )
      : undefined;
    return {
      kind: recorded.events.length > 0 && !recorded.isRepeat ? 'recorded' : 'known',
      paymentId: made?.paymentId ?? null,
      isOwedBack: made?.isOwedBack ?? false,
      position: Math.max(recorded.position, settled),
    };
  };

/** What providers tell of payments, whoever asked them. */
export const createProviderPayments = (deps: ProviderPaymentDeps) => ({
  invoiceOf: deps.invoiceOf,
  recordProviderPayment: record(deps),
  declineProviderPayment: async (
    invoiceId: string,
    declined: Omit<DeclineProviderPayment, 'type'>,
    meta: CommandMeta,
  ) => deps.settlement.record(invoiceId, { type: 'DeclineProviderPayment', ...declined }, meta),
  /** The provider owes the outcome. */
  awaitProviderPayment: async (
    invoiceId: string,
    owed: Omit<AwaitProviderPayment, 'type'>,
    meta: CommandMeta,
  ) => {
    await deps.references.keep(owed.provider, [owed.transactionId], invoiceId);
    return deps.settlement.record(invoiceId, { type: 'AwaitProviderPayment', ...owed }, meta);
  },
});
