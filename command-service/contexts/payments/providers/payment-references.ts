import type { Clock } from '#kernel/clock.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { Job } from '#runtime/job-runner.ts';

/** The invoice that a session or a transaction of a provider is about; `_id` names the provider and that. */
interface PaymentReference extends Document {
  readonly invoiceId: string;
  /** The shop's milliseconds. */
  readonly keptAt: number;
}

const COLLECTION = 'payment_references';
const KEPT_MILLISECONDS = 400 * 24 * 60 * 60 * 1000;
const PURGED_TOGETHER = 1000;

const idOf = (provider: string, reference: string): string => `${provider} ${reference}`;

/** Which invoice a provider means. A row is written before anybody can come back with what it names. */
export const createPaymentReferences = async ({
  stateStore,
  clock,
}: {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
}) => {
  await stateStore.declare(COLLECTION, [{ fields: ['keptAt'] }]);
  const find = async (provider: string, reference: string): Promise<string | null> =>
    (await stateStore.get<PaymentReference>(COLLECTION, idOf(provider, reference)))?.invoiceId ?? null;
  return {
    /** The invoice that it is about: this one, unless it was about another before. No payment is for two of them. */
    bind: async (provider: string, reference: string, invoiceId: string): Promise<string> => {
      const known = await find(provider, reference);
      if (known !== null) return known;
      const row: PaymentReference = { _id: idOf(provider, reference), invoiceId, keptAt: clock.now() };
      if (await stateStore.insertIfAbsent(COLLECTION, row)) return invoiceId;
      return (await find(provider, reference)) ?? invoiceId;
    },
    keep: async (provider: string, references: readonly string[], invoiceId: string): Promise<void> => {
      const keptAt = clock.now();
      await stateStore.write(
        [...new Set(references)].map((reference) => ({
          collection: COLLECTION,
          put: { _id: idOf(provider, reference), invoiceId, keptAt } satisfies PaymentReference,
        })),
      );
    },
    find,
    /** Payments are not disputed after more than a year. */
    purge: {
      name: 'purge-payment-references',
      schedule: '23 3 * * *',
      runOnce: async (now) => {
        const old = { keptAt: { lte: now - KEPT_MILLISECONDS } };
        let removed = 0;
        for (let last = -1; last !== 0; removed += last)
          last = await stateStore.deleteMany(COLLECTION, old, PURGED_TOGETHER);
        return { removed };
      },
    } satisfies Job,
  };
};

export type PaymentReferences = Awaited<ReturnType<typeof createPaymentReferences>>;
