import type {
  AbandonedCheckoutEvent,
  AbandonedFigures,
  AbandonedLine,
  RecoveryLink,
} from '#events/abandoned-checkout.events.ts';
import type { DataSubject } from '#kernel/decider.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { Evolution } from '#kernel/evolution.ts';

export interface CheckoutRecord {
  readonly status: 'active' | 'abandoned' | 'recovered' | 'converted' | 'expired';
  /** Of the basket, which the record keeps as its data subject when the basket is gone. */
  readonly basketId: string;
  readonly isBasketGone: boolean;
  readonly openedAt: string;
  readonly openedDay: string;
  readonly firstAbandonedAt: string;
  readonly abandonedAt: string;
  /** Of the basket's stream: activity after it is news. */
  readonly basketRevision: number;
  readonly customerId: string | null;
  readonly email: string | null;
  readonly customerName: string | null;
  readonly figures: AbandonedFigures;
  readonly lines: readonly AbandonedLine[];
  readonly mailsSent: number;
  readonly lastMailAt: string | null;
  readonly link: RecoveryLink & { readonly usedAt: string | null };
  /** The first time; null: never. */
  readonly recoveredAt: string | null;
  /** What the visitor who recovered it last had before. */
  readonly replacedBasketId: string | null;
  readonly hasExpiredBefore: boolean;
}

/** State of the stream `abandonedCheckout-<id>`: nothing until its basket is found abandoned. */
export type AbandonedCheckoutState = { readonly status: 'none' } | CheckoutRecord;

export const isRecord = (state: AbandonedCheckoutState): state is CheckoutRecord => state.status !== 'none';

/** What names a record in each of its events. */
export const nameOf = ({ basketId, openedAt, openedDay, firstAbandonedAt }: CheckoutRecord) => ({
  ...{ basketId, openedAt, openedDay, firstAbandonedAt },
});

export const buyerOf = ({ customerId, email, customerName }: CheckoutRecord) => ({
  ...{ customerId, email, customerName },
});

type Told<Type extends AbandonedCheckoutEvent['type']> = EventOfType<AbandonedCheckoutEvent, Type>;

const neverBefore = {
  lastMailAt: null,
  recoveredAt: null,
  replacedBasketId: null,
  hasExpiredBefore: false,
} as const;

const abandoned = (state: AbandonedCheckoutState, { data }: Told<'CheckoutAbandoned'>): CheckoutRecord => {
  const { billingAddress: _, shippingAddress: __, isFirst: ___, lastActivityAt: ____, ...kept } = data;
  const { lastMailAt, recoveredAt, replacedBasketId, hasExpiredBefore } = isRecord(state)
    ? state
    : neverBefore;
  return {
    ...kept,
    ...{ lastMailAt, recoveredAt, replacedBasketId, hasExpiredBefore },
    status: 'abandoned',
    isBasketGone: false,
    link: { ...data.link, usedAt: null },
  };
};

/** For a record that is there; without one the event means nothing. */
const onRecord =
  <Type extends AbandonedCheckoutEvent['type']>(
    change: (record: CheckoutRecord, data: Told<Type>['data']) => CheckoutRecord,
  ) =>
  (state: AbandonedCheckoutState, event: Told<Type>): AbandonedCheckoutState =>
    isRecord(state) ? change(state, event.data as Told<Type>['data']) : state;

const on: Evolution<AbandonedCheckoutState, AbandonedCheckoutEvent> = {
  CheckoutAbandoned: abandoned,
  CheckoutResumed: onRecord<'CheckoutResumed'>((record, { basketRevision }) => ({
    ...record,
    status: 'active',
    isBasketGone: false,
    basketRevision,
  })),
  RecoveryMailRequested: onRecord<'RecoveryMailRequested'>((record, { mailsSent, requestedAt }) => ({
    ...record,
    mailsSent,
    lastMailAt: requestedAt,
  })),
  RecoveryLinkIssued: onRecord<'RecoveryLinkIssued'>((record, { link }) => ({
    ...record,
    link: { ...link, usedAt: null },
  })),
  CheckoutRecovered: onRecord<'CheckoutRecovered'>((record, { recoveredAt, replacedBasketId }) => ({
    ...record,
    status: 'recovered',
    recoveredAt: record.recoveredAt ?? recoveredAt,
    replacedBasketId,
    link: { ...record.link, usedAt: recoveredAt },
  })),
  CheckoutConverted: onRecord<'CheckoutConverted'>((record) => ({ ...record, status: 'converted' })),
  CheckoutRecoveryExpired: onRecord<'CheckoutRecoveryExpired'>((record) => ({
    ...record,
    status: 'expired',
    hasExpiredBefore: true,
  })),
  AbandonedBasketLost: onRecord<'AbandonedBasketLost'>((record) => ({ ...record, isBasketGone: true })),
};

/** Personal fields are those of the basket: forgetting its buyer reaches the record with it. */
export const abandonedCheckoutStream = {
  category: 'abandonedCheckout',
  initial: (): AbandonedCheckoutState => ({ status: 'none' }),
  on,
  remembersCommands: true,
  subject: (id: string, state: AbandonedCheckoutState): DataSubject =>
    isRecord(state) ? { id: state.basketId, customerId: state.customerId } : { id },
} as const;
