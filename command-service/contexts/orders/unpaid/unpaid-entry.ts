import type { StockHold } from '#events/checkout.events.ts';
import type { Expiring } from './expiry-minutes.ts';
import type { UnpaidAge } from '../../invoices/unpaid-invoice.state.ts';

/** An invoice that is being placed or unpaid. */
export interface Entry extends Expiring {
  /** Keyed hash; null if addresses are not counted. */
  readonly address: string | null;
  /** Another one, where what it holds is counted; null: the same. */
  readonly heldAt: string | null;
  readonly isWithinLimit: boolean;
  /** What it has reserved, if addresses are counted. */
  readonly holds: readonly StockHold[];
  /** When it expires because it holds a lot. */
  readonly endsAt: number | null;
  /** Null until the invoice exists. */
  customerId: string | null;
  /** Null until the invoice exists: before that, its placement ends it. */
  age: UnpaidAge | null;
}

const NONE = '-';
const instantText = (instant: number | null): string => (instant === null ? NONE : instant.toString(36));
const instantOf = (text: string): number | null => (text === NONE ? null : Number.parseInt(text, 36));

const holdsText = (holds: readonly StockHold[]): string =>
  holds.length === 0
    ? NONE
    : holds.map(({ productId, warehouseId, quantity }) => `${productId}*${warehouseId}*${quantity}`).join();
const holdsOf = (text: string): StockHold[] =>
  text === NONE
    ? []
    : text.split(',').map((hold) => {
        const [productId = '', warehouseId = '', quantity] = hold.split('*');
        return { productId, warehouseId, quantity: Number(quantity) };
      });

/** What a snapshot keeps: a string is written and read many times faster than an object. */
export const lineOf = ({ address, heldAt, isWithinLimit, customerId, age, holds, endsAt }: Entry): string =>
  [
    address ?? NONE,
    heldAt ?? NONE,
    isWithinLimit ? 1 : 0,
    customerId ?? NONE,
    holdsText(holds),
    instantText(endsAt),
    instantText(age?.createdAt ?? null),
    instantText(age?.idleSince ?? null),
    instantText(age?.attemptedAt ?? null),
    instantText(age?.heldUntil ?? null),
  ].join(' ');

export const entryOf = (id: string, line: string): Entry => {
  const [address = NONE, heldAt = NONE, within, customerId = NONE, holds = NONE, ...instants] =
    line.split(' ');
  const [endsAt = null, createdAt = null, idleSince = null, attemptedAt = null, heldUntil = null] =
    instants.map(instantOf);
  return {
    id,
    address: address === NONE ? null : address,
    heldAt: heldAt === NONE ? null : heldAt,
    isWithinLimit: within === '1',
    holds: holdsOf(holds),
    endsAt,
    customerId: customerId === NONE ? null : customerId,
    age:
      createdAt === null
        ? null
        : { createdAt, idleSince: idleSince ?? createdAt, attemptedAt, heldUntil, endsAt },
    minute: null,
  };
};
