import { isoInstant, type Clock } from '#kernel/clock.ts';
import { derivedId } from '#kernel/ids.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { MadeCharge } from '#ports/payment-provider.ts';
import type { CaptureRequest } from '#ports/payment-requests.ts';

/** A charge that the sandbox made. */
export interface SandboxCharge extends Document, MadeCharge {
  readonly status: 'Completed' | 'Authorized' | 'Refunded' | 'Voided';
  /** What was given back of it, and under which keys. */
  readonly refunded: number;
  readonly refunds: Readonly<Record<string, number>>;
  /** What of it came back because a refund failed, under the same keys. */
  readonly failedRefunds?: Readonly<Record<string, number>>;
}

/** What a charge is entered with. */
export interface NewCharge extends Pick<
  SandboxCharge,
  'invoiceId' | 'transactionId' | 'token' | 'amountMinor' | 'currency'
> {
  readonly key: string;
  readonly status: 'Completed' | 'Authorized';
}

/** How long money is held that was only authorised. */
const HELD_MILLISECONDS = 7 * 24 * 60 * 60_000;

export const heldUntil = ({ dateCreated }: Pick<SandboxCharge, 'dateCreated'>): string =>
  isoInstant(Date.parse(dateCreated) + HELD_MILLISECONDS);

export const CHARGES = 'sandbox_charges';
const PAGE = 1000;

export const listAll = async <Row extends Document>(
  store: DocumentStore,
  collection: string,
): Promise<Row[]> => {
  const rows: Row[] = [];
  for (;;) {
    const sort = [['dateCreated', 1]] as const;
    const page = await store.find<Row>(collection, { sort, skip: rows.length, limit: PAGE });
    rows.push(...page);
    if (page.length < PAGE) return rows;
  }
};

/** Under which name the sandbox knows a charge. */
export const transactionOf = (key: string): string => `sandbox-${derivedId('sandbox', key)}`;

/** Every charge that the sandbox made, oldest first. */
export const listSandboxCharges = async (stateStore: DocumentStore): Promise<SandboxCharge[]> => {
  const charges = await listAll<SandboxCharge>(stateStore, CHARGES);
  // The oldest were kept without the name that follows from their key.
  return charges.map((charge) => ({
    ...charge,
    transactionId: charge.transactionId ?? transactionOf(charge._id),
  }));
};

/** What the sandbox has charged and given back, in the state store: two processes share it. */
export const openSandboxBooks = async (store: DocumentStore, clock: Clock) => {
  await store.declare(CHARGES, [{ fields: ['dateCreated'] }, { fields: ['transactionId'] }]);
  const now = (): string => isoInstant(clock.now());

  /** What is held for too long is let go. */
  const inTime = (charge: SandboxCharge): SandboxCharge =>
    charge.status === 'Authorized' && heldUntil(charge) <= now() ? { ...charge, status: 'Voided' } : charge;

  const find = async (transactionId: string): Promise<SandboxCharge | null> => {
    const [charge] = await store.find<SandboxCharge>(CHARGES, { filter: { transactionId }, limit: 1 });
    return charge === undefined ? null : inTime(charge);
  };

  return {
    find,

    /** The same key never charges twice. */
    enter: async ({ key, ...charge }: NewCharge): Promise<void> => {
      const row: SandboxCharge = { _id: key, ...charge, refunded: 0, refunds: {}, dateCreated: now() };
      await store.insertIfAbsent(CHARGES, row);
    },

    /** A payment that came without an order: which invoice it is for is known only now. */
    nameInvoice: async ({ _id }: SandboxCharge, invoiceId: string): Promise<void> => {
      await store.updateIf(CHARGES, { _id, invoiceId: '' }, { set: { invoiceId } });
    },

    /** Once, and no more than was authorised: how much was taken then. Null: there was nothing to take. */
    capture: async ({
      transactionId,
      amountMinor,
    }: Pick<CaptureRequest, 'transactionId' | 'amountMinor'>): Promise<number | null> => {
      const charge = await find(transactionId);
      if (charge === null) return null;
      const { _id } = charge;
      const set = { status: 'Completed', amountMinor };
      if (charge.status === 'Authorized' && amountMinor <= charge.amountMinor)
        await store.updateIf(CHARGES, { _id, status: 'Authorized' }, { set });
      const after = await find(transactionId);
      return after?.status === 'Completed' || after?.status === 'Refunded' ? after.amountMinor : null;
    },

    /** False where the money was taken already. */
    void: async ({ _id }: SandboxCharge): Promise<boolean> => {
      const set = { status: 'Voided' };
      const undone = await store.updateIf(
        CHARGES,
        { _id, status: { in: ['Authorized', 'Voided'] } },
        { set },
      );
      return undone !== null;
    },
  };
};

export type SandboxBooks = Awaited<ReturnType<typeof openSandboxBooks>>;
