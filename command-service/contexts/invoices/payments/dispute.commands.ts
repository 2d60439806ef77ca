/** A provider says that the payer wants a payment back; its own id of the dispute is the business key of a repeat. */
export interface OpenDispute {
  readonly type: 'OpenDispute';
  readonly provider: string;
  readonly paymentId: string;
  readonly disputeId: string;
  /** Minor units of the invoice's currency; null where the provider does not say. */
  readonly amount: number | null;
  readonly reason: string | null;
}

/** How a dispute ended. */
export interface ResolveDispute {
  readonly type: 'ResolveDispute';
  readonly provider: string;
  readonly disputeId: string;
  readonly outcome: 'won' | 'lost';
}

/** For people: what a provider has told, where nothing else of the invoice changes. */
export interface NoteCallback {
  readonly type: 'NoteCallback';
  /** Follows from the event, so that a repeat notes it once. */
  readonly noteId: string;
  readonly text: string;
  readonly provider: string;
}

export type DisputeCommand = OpenDispute | ResolveDispute | NoteCallback;
