import type { Process } from '#kernel/process.ts';

/**
 * From the payment of an invoice to its announced sale. Of its own beside the attempt: an invoice may be paid otherwise
 * while the outcome of one is unknown.
 */
export const announceSale: Pick<Process<never, never>, 'name' | 'on'> = {
  name: 'announce-sale',
  on: {
    PaymentCaptured: ({ data }) => {
      const { balance, isLate, isSurplus } = data as {
        balance: { balanceDue: number };
        isLate?: boolean;
        isSurplus?: boolean;
      };
      return balance.balanceDue === 0 && !isLate && !isSurplus ? 'opens' : null;
    },
    SaleConfirmed: 'ends',
    InvoiceCancelled: 'ends',
  },
};
