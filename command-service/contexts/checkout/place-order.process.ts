import type { EventOf } from '#events/define-events.ts';
import type { checkoutEvents, StockHold } from '#events/checkout.events.ts';
import type { Process } from '#kernel/process.ts';

type PlacementEvent = Extract<EventOf<typeof checkoutEvents>, { type: 'OrderPlacementStarted' }>;
export type Placement = PlacementEvent['data'];

/** Who drives a placement, and in which turn: what an earlier driver still sends is refused. */
export interface Driver {
  readonly basketId: string;
  readonly placementId: string;
  readonly turn: number;
}

/** A refusal as the caller will read it. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** A step: a command to another stream. Each is idempotent by the placement and names what takes it back. */
export type PlacementStep =
  | { readonly step: 'supersede'; readonly invoiceId: string }
  | { readonly step: 'reserve'; readonly hold: StockHold }
  | { readonly step: 'claim'; readonly discountId: string; readonly amount: number }
  | { readonly step: 'number' }
  | { readonly step: 'create'; readonly number: number }
  /** Gives back what the basket no longer holds (or, after a refusal, everything). */
  | { readonly step: 'release'; readonly hold: StockHold }
  | { readonly step: 'unclaim'; readonly discountId: string }
  | { readonly step: 'complete'; readonly invoiceNumber: string }
  | { readonly step: 'fail'; readonly refusal: Refusal; readonly keepsHolds: boolean };

/** What came of a step: done (with what it yielded) or refused. */
export type PlacementInput =
  | { readonly type: 'started'; readonly placement: Placement }
  | { readonly type: 'done'; readonly number?: number; readonly invoiceNumber?: string }
  | { readonly type: 'refused'; readonly refusal: Refusal };

type Phase =
  'superseding' | 'reserving' | 'claiming' | 'numbering' | 'creating' | 'trimming' | 'ending' | 'undoing';

export type PlacementState =
  | { readonly phase: 'idle' }
  | {
      readonly phase: Phase;
      readonly placement: Placement;
      /** Steps of this phase that have not answered yet. */
      readonly waiting: number;
      readonly refusal: Refusal | null;
      readonly hasUndone: boolean;
      readonly invoiceNumber: string | null;
    };

type Running = Exclude<PlacementState, { phase: 'idle' }>;

/** `undoing` stands outside: only a refusal leads there. */
const order: readonly Phase[] = [
  'superseding',
  'reserving',
  'claiming',
  'numbering',
  'creating',
  'trimming',
  'ending',
];

const stepsOf = (
  phase: Phase,
  { placement, refusal, hasUndone, invoiceNumber }: Running,
  number: number,
): PlacementStep[] => {
  switch (phase) {
    case 'superseding':
      return placement.supersededInvoiceId === null
        ? []
        : [{ step: 'supersede', invoiceId: placement.supersededInvoiceId }];
    case 'reserving':
      return placement.holds
        .filter(({ quantity }) => quantity > 0)
        .map((hold) => ({ step: 'reserve', hold }));
    case 'claiming':
      return placement.discountClaims.map(({ discountId, amount }) => ({
        step: 'claim',
        discountId,
        amount,
      }));
    case 'numbering':
      return [{ step: 'number' }];
    case 'creating':
      return [{ step: 'create', number }];
    case 'trimming':
      return [
        ...placement.holds
          .filter(({ quantity }) => quantity === 0)
          .map((hold) => ({ step: 'release' as const, hold })),
        ...placement.discountReleases.map((discountId) => ({ step: 'unclaim' as const, discountId })),
      ];
    case 'undoing':
      return [
        ...placement.holds.map((hold) => ({ step: 'release' as const, hold: { ...hold, quantity: 0 } })),
        ...placement.discountClaims.map(({ discountId }) => ({ step: 'unclaim' as const, discountId })),
        ...placement.discountReleases.map((discountId) => ({ step: 'unclaim' as const, discountId })),
      ];
    case 'ending':
      return refusal
        ? [{ step: 'fail', refusal, keepsHolds: !hasUndone }]
        : [{ step: 'complete', invoiceNumber: invoiceNumber ?? '' }];
  }
};

const following = (phase: Phase): Phase | null =>
  phase === 'undoing' ? 'ending' : (order[order.indexOf(phase) + 1] ?? null);

/** Enters a phase; one that has nothing to do is passed through at once. */
const enter = (
  phase: Phase | null,
  state: Running,
  number = 0,
): { state: PlacementState; outputs: PlacementStep[] } => {
  if (phase === null) return { state: { phase: 'idle' }, outputs: [] };
  const outputs = stepsOf(phase, state, number);
  const entered = {
    ...state,
    phase,
    waiting: outputs.length,
    hasUndone: state.hasUndone || phase === 'undoing',
  };
  return outputs.length > 0 ? { state: entered, outputs } : enter(following(phase), entered, number);
};

/** Once the invoice is there nothing takes it back: what is left to do is tidying up. */
const refusable: ReadonlySet<Phase> = new Set<Phase>([
  'superseding',
  'reserving',
  'claiming',
  'numbering',
  'creating',
]);

/**
 * Where a phase leads. A refusal undoes what is held; before anything is held there is nothing to undo, the older
 * invoice stands with what it holds.
 */
const after = ({ phase, refusal }: Running): Phase | null => {
  if (refusal === null || !refusable.has(phase)) return following(phase);
  return phase === 'superseding' ? 'ending' : 'undoing';
};

/**
 * From a basket to an invoice: close the older invoice, reserve stock, claim discount uses, take a number, create the
 * invoice. What can be refused comes before what cannot be taken back; a refusal releases everything. Sent again from
 * the start after a crash, each step answers as it did.
 */
export const placeOrder: Process<PlacementState, PlacementInput, PlacementStep> = {
  name: 'place-order',
  initial: () => ({ phase: 'idle' }),
  react: (state, input) => {
    if (input.type === 'started') {
      const { placement } = input;
      return enter('superseding', {
        phase: 'superseding',
        placement,
        waiting: 0,
        refusal: null,
        hasUndone: false,
        invoiceNumber: null,
      });
    }
    if (state.phase === 'idle') return { state, outputs: [] };
    const refusal = input.type === 'refused' && refusable.has(state.phase) ? input.refusal : null;
    const told: Running = {
      ...state,
      waiting: state.waiting - 1,
      refusal: state.refusal ?? refusal,
      invoiceNumber: state.invoiceNumber ?? (input.type === 'done' ? (input.invoiceNumber ?? null) : null),
    };
    if (told.waiting > 0) return { state: told, outputs: [] };
    return enter(after(told), told, input.type === 'done' ? input.number : undefined);
  },
};
