/** The payer disputes a payment. The provider's id of the dispute identifies a repeat. */
export interface OpenDispute {
  readonly type: 'OpenDispute';
  readonly provider: string;
  readonly paymentId: string;
  readonly disputeId: string;
  /** Minor units of the invoice's currency; null if the provider does not say. */
  readonly amount: number | null;
  readonly reason: string | null;
}

export interface ResolveDispute {
  readonly type: 'ResolveDispute';
  readonly provider: string;
  readonly disputeId: string;
  readonly outcome: 'won' | 'lost';
}

/** A note for staff on a callback that changes nothing else. */
export interface NoteCallback {
  readonly type: 'NoteCallback';
  /** Derived from the provider's event, so that a repeat adds no second note. */
  readonly noteId: string;
  readonly text: string;
  readonly provider: string;
}

export type DisputeCommand = OpenDispute | ResolveDispute | NoteCallback;
