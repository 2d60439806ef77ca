import type { ChargeOutcome } from '#ports/payment-provider.ts';
import type { Process } from '#kernel/process.ts';
import type { OpenAttempt } from '../orders/invoice.state.ts';

/** What the process asks for: a call to the provider, or a command. */
export type SettlementStep =
  | { readonly step: 'charge'; readonly attempt: OpenAttempt }
  | { readonly step: 'capture'; readonly attemptId: string; readonly transactionId: string }
  | { readonly step: 'decline'; readonly attemptId: string; readonly code: string; readonly message: string }
  | { readonly step: 'giveUp'; readonly attemptId: string; readonly askId: string | null }
  | { readonly step: 'recordSale' }
  | { readonly step: 'completeBasket' }
  | { readonly step: 'confirmSale'; readonly previousSaleDay: string | null };

export type SettlementInput =
  /** The invoice as its stream says: an attempt is open, or everything is paid. */
  | { readonly type: 'attempted'; readonly attempt: OpenAttempt }
  | { readonly type: 'paid' }
  /** `askId`: who asked, if it was the first to do so. */
  | {
      readonly type: 'charged';
      readonly attemptId: string;
      readonly askId: string | null;
      readonly outcome: ChargeOutcome;
    }
  | { readonly type: 'captured'; readonly isPaid: boolean }
  | { readonly type: 'saleRecorded'; readonly previousSaleDay: string | null }
  | { readonly type: 'basketCompleted' }
  | { readonly type: 'ended' };

/** The basket is closed and the customer's sale recorded side by side; the sale is announced after both. */
export interface SettlementState {
  readonly waiting: number;
  readonly previousSaleDay: string | null;
}

const afterCharge = (attemptId: string, askId: string | null, outcome: ChargeOutcome): SettlementStep[] => {
  switch (outcome.kind) {
    case 'completed':
      return [{ step: 'capture', attemptId, transactionId: outcome.transactionId }];
    case 'refused':
      return [{ step: 'decline', attemptId, code: outcome.code, message: outcome.message }];
    case 'unavailable':
      return [{ step: 'giveUp', attemptId, askId }];
    case 'unknownOutcome':
      // Not a failure: the attempt stays open and the runner asks again with the same key.
      return [];
  }
};

const confirmPaid = (): { state: SettlementState; outputs: SettlementStep[] } => ({
  state: { waiting: 2, previousSaleDay: null },
  outputs: [{ step: 'recordSale' }, { step: 'completeBasket' }],
});

/** From an attempt that was recorded to a sale that is announced. */
export const settlePayment: Process<SettlementState, SettlementInput, SettlementStep> = {
  name: 'settle-payment',
  initial: () => ({ waiting: 0, previousSaleDay: null }),
  react: (state, input) => {
    switch (input.type) {
      case 'attempted':
        return { state, outputs: [{ step: 'charge', attempt: input.attempt }] };
      case 'charged':
        return { state, outputs: afterCharge(input.attemptId, input.askId, input.outcome) };
      case 'captured':
        return input.isPaid ? confirmPaid() : { state, outputs: [] };
      case 'paid':
        return confirmPaid();
      case 'saleRecorded':
      case 'basketCompleted': {
        const previousSaleDay = input.type === 'saleRecorded' ? input.previousSaleDay : state.previousSaleDay;
        const waiting = state.waiting - 1;
        const outputs: SettlementStep[] = waiting === 0 ? [{ step: 'confirmSale', previousSaleDay }] : [];
        return { state: { waiting, previousSaleDay }, outputs };
      }
      case 'ended':
        return { state, outputs: [] };
    }
  },
};
