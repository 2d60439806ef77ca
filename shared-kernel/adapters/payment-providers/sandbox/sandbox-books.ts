import { isoInstant, type Clock } from '#kernel/clock.ts';
import { derivedId } from '#kernel/ids.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type {
  CaptureRequest,
  MadeCharge,
  MadeRefund,
  NotDone,
  RefundOutcome,
} from '#ports/payment-provider.ts';

/** A charge that the sandbox made. */
export interface SandboxCharge extends Document, MadeCharge {
  readonly status: 'Completed' | 'Authorized' | 'Refunded' | 'Voided';
  /** What was given back of it, and under which keys. */
  readonly refunded: number;
  readonly refunds: Readonly<Record<string, number>>;
}

interface SandboxRefund extends Document, MadeRefund {}

/** What a charge is entered with. */
export interface NewCharge extends Pick<
  SandboxCharge,
  'invoiceId' | 'transactionId' | 'token' | 'amountMinor' | 'currency'
> {
  readonly key: string;
  readonly status: 'Completed' | 'Authorized';
}

const CHARGES = 'sandbox_charges';
const REFUNDS = 'sandbox_refunds';
const PAGE = 1000;

const listAll = async <Row extends Document>(store: DocumentStore, collection: string): Promise<Row[]> => {
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

/** Every refund that the sandbox made, oldest first. */
export const listSandboxRefunds = (stateStore: DocumentStore): Promise<SandboxRefund[]> =>
  listAll<SandboxRefund>(stateStore, REFUNDS);

const refundNamed = async (store: DocumentStore, transactionId: string): Promise<SandboxRefund | null> => {
  const [refund] = await store.find<SandboxRefund>(REFUNDS, { filter: { transactionId }, limit: 1 });
  return refund ?? null;
};

const refuse = (code: string, message: string): NotDone => ({ kind: 'refused', code, message });

/** Takes an amount off what is left of a charge, once a key; null: not so much is left. */
const takeOff = async (
  store: DocumentStore,
  { _id, amountMinor: whole }: SandboxCharge,
  entry: string,
  amount: number,
): Promise<SandboxCharge | null> => {
  const isNew = { _id, status: 'Completed', [`refunds.${entry}`]: { exists: false } };
  const entered = { [`refunds.${entry}`]: amount };
  const increment = { refunded: amount };
  return (
    (await store.updateIf<SandboxCharge>(
      CHARGES,
      { ...isNew, refunded: { lt: whole - amount } },
      { set: entered, increment },
    )) ??
    (await store.updateIf<SandboxCharge>(
      CHARGES,
      { ...isNew, refunded: whole - amount },
      { set: { ...entered, status: 'Refunded' }, increment },
    ))
  );
};

/** Gives an amount back, once a key, and never more than was charged. */
const giveBack =
  (store: DocumentStore, find: (transactionId: string) => Promise<SandboxCharge | null>, now: () => string) =>
  async (
    key: string,
    chargeTransactionId: string,
    { amountMinor, currency }: Pick<SandboxCharge, 'amountMinor' | 'currency'>,
    transactionId = `sandbox-refund-${derivedId('sandbox-refund', key)}`,
  ): Promise<RefundOutcome> => {
    const charge = await find(chargeTransactionId);
    if ((await refundNamed(store, transactionId)) !== null) return { kind: 'completed', transactionId };
    if (charge === null) return refuse('no_such_charge', 'There is no such charge.');
    if (charge.currency !== currency) return refuse('wrong_currency', `The charge is in ${charge.currency}.`);
    if (amountMinor <= 0) return refuse('invalid_amount', 'An amount above 0 was expected.');
    const entry = derivedId('refund-entry', key);
    const isEntered = async () => (await find(chargeTransactionId))?.refunds[entry] !== undefined;
    const taken = await takeOff(store, charge, entry, amountMinor);
    if (taken === null && !(await isEntered()))
      return refuse('amount_too_large', 'Not so much is left of the charge.');
    const { invoiceId } = charge;
    const amount = { amountMinor, currency };
    const row = { _id: key, invoiceId, chargeTransactionId, transactionId, ...amount, dateCreated: now() };
    await store.insertIfAbsent(REFUNDS, row satisfies SandboxRefund);
    return { kind: 'completed', transactionId };
  };

/** What the sandbox has charged and given back, in the state store: two processes share it. */
export const openSandboxBooks = async (store: DocumentStore, clock: Clock) => {
  await store.declare(CHARGES, [{ fields: ['dateCreated'] }, { fields: ['transactionId'] }]);
  await store.declare(REFUNDS, [{ fields: ['dateCreated'] }, { fields: ['transactionId'] }]);
  const now = (): string => isoInstant(clock.now());

  const find = async (transactionId: string): Promise<SandboxCharge | null> => {
    const [charge] = await store.find<SandboxCharge>(CHARGES, { filter: { transactionId }, limit: 1 });
    return charge ?? null;
  };

  return {
    find,

    /** The same key never charges twice. */
    enter: async ({ key, ...charge }: NewCharge): Promise<void> => {
      const row: SandboxCharge = { _id: key, ...charge, refunded: 0, refunds: {}, dateCreated: now() };
      await store.insertIfAbsent(CHARGES, row);
    },

    capture: async ({ transactionId }: CaptureRequest): Promise<boolean> => {
      const charge = await find(transactionId);
      if (charge === null) return false;
      const { _id } = charge;
      const captured = await store.updateIf(
        CHARGES,
        { _id, status: 'Authorized' },
        { set: { status: 'Completed' } },
      );
      return captured !== null || charge.status === 'Completed' || charge.status === 'Refunded';
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

    refund: giveBack(store, find, now),
  };
};

export type SandboxBooks = Awaited<ReturnType<typeof openSandboxBooks>>;
