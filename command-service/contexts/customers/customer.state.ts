interface KnownCustomer {
  readonly status: 'known';
  readonly acceptsMarketing: boolean;
  readonly lastSaleDay: string | null;
  /** Sales by invoice, so that a repeat is told the same previous day. Grows in place. */
  readonly sales: Record<string, string | null>;
}

export type CustomerState = { readonly status: 'unknown' } | KnownCustomer;

/** The day of the sale before this invoice's, once its sale has been recorded. */
export const previousSaleDay = (state: CustomerState, invoiceId: string): string | null =>
  state.status === 'known' ? (state.sales[invoiceId] ?? null) : null;
