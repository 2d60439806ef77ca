import { summaryOf, type ShopCheck } from '#command/engine/shop-check.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import { derivedId } from '#kernel/ids.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { Job } from '#runtime/job-runner.ts';
import { formatMoney, type Minor } from '#values/money.ts';

/** A payment or refund of which a provider has said one thing and another: what counts, and what was said beside. */
export interface PaymentDifference {
  readonly provider: string;
  readonly invoiceId: string;
  readonly invoiceNumber: string;
  /** What the provider calls the payment or the refund. */
  readonly reference: string;
  readonly currency: string;
  readonly recorded: Minor;
  readonly told: Minor;
}

interface DifferenceRow extends Document, PaymentDifference {
  readonly notedAt: string;
}

const collection = 'payment_differences';
const KEPT_MILLISECONDS = 90 * 24 * 60 * 60 * 1000;
const TAKEN_TOGETHER = 200;

export interface PaymentDifferences {
  /** Notes one, once. Errors: `EngineUnavailable`. */
  note(difference: PaymentDifference): Promise<void>;
  /** Shows them to staff, for 90 days. */
  readonly check: ShopCheck;
  readonly purge: Job;
}

async function* rowsOf(stateStore: DocumentStore): AsyncGenerator<DifferenceRow> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const page: readonly DifferenceRow[] = await stateStore.find<DifferenceRow>(collection, {
      filter: { _id: { gt: after } },
      sort: [['_id', 1]],
      limit: TAKEN_TOGETHER,
    });
    yield* page;
    after = page.at(-1)?._id;
  }
}

/** What a difference comes to, in words. */
export const differenceText = ({
  provider,
  reference,
  currency,
  recorded,
  told,
}: PaymentDifference): string =>
  `${provider} has told of ${reference} as ${formatMoney(recorded, currency)} and as ` +
  `${formatMoney(told, currency)}. ${formatMoney(recorded, currency)} are recorded. Look there which is right.`;

/**
 * Where a provider's word and the books part (docs/rules/payment-callbacks.md#contradictions). Declares its collection;
 * call it once at start.
 */
export const createPaymentDifferences = async ({
  stateStore,
  clock,
}: {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
}): Promise<PaymentDifferences> => {
  await stateStore.declare(collection, [{ fields: ['notedAt'] }]);
  return {
    note: async (difference) => {
      const { provider, reference, recorded, told } = difference;
      const _id = derivedId('payment-difference', provider, reference, recorded, told);
      const row: DifferenceRow = { _id, ...difference, notedAt: isoInstant(clock.now()) };
      await stateStore.insertIfAbsent(collection, row);
    },
    check: {
      alias: 'payment-differences',
      name: 'Contradictions of payment providers',
      description: 'Whether a provider has told of one payment or refund in two ways, in the last 90 days.',
      icon: 'icon-credit-card',
      sortOrder: 40,
      severity: 'warning',
      summary: summaryOf(
        'payment or refund was told of in two ways',
        'payments or refunds were told of in two ways',
        'No provider has contradicted itself.',
      ),
      async *look() {
        for await (const row of rowsOf(stateStore))
          yield {
            id: row._id,
            name: row.invoiceNumber,
            description: differenceText(row),
            editPath: `/orders/${row.invoiceId}`,
            imageUrl: null,
          };
      },
    },
    purge: {
      name: 'purge-payment-differences',
      schedule: '11 4 * * *',
      runOnce: async (now) => {
        const old = { notedAt: { lt: isoInstant(now - KEPT_MILLISECONDS) } };
        let removed = 0;
        for (let last = -1; last !== 0; removed += last)
          last = await stateStore.deleteMany(collection, old, TAKEN_TOGETHER);
        return { removed };
      },
    },
  };
};
