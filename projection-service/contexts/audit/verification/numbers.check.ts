import type { StoredEvent } from '#ports/event-store.ts';
import { formatInvoiceNumber, INVOICE_NUMBERS } from '#values/invoice-number.ts';
import { streamOf } from '#values/stream-name.ts';
import { placeOf, type CreateLogCheck } from './log-check.ts';
import { createWorkingTime } from './working-time.ts';

const numbers = streamOf.invoiceNumbers(INVOICE_NUMBERS);

const takenFor = /"invoiceId"\s*:\s*"([^"]*)"/;
const named = /"invoiceNumber"\s*:\s*"([^"]*)"/;

/** An invoice follows its number at once; after a crash, as soon as the shop is at work again and has looked around. */
const INVOICE_WITHIN_MILLISECONDS = 120_000;

const firstMatch = (pattern: RegExp, { data }: StoredEvent): string => pattern.exec(data)?.[1] ?? '';

/** The number without its prefix, which settings may change. */
const ending = (number: number): string => formatInvoiceNumber('', number);

/** A number that no invoice has yet. */
interface Entry extends Pick<StoredEvent, 'position' | 'stream' | 'revision'> {
  /** In working time. */
  readonly takenAt: number;
}

/** Numbers that no invoice has yet, by invoice: emptied as these come, so that it does not grow with the shop. */
const createWaiting = () => {
  const time = createWorkingTime();
  /** The oldest first. */
  const fresh = new Map<string, Entry>();
  const late = new Map<string, Entry>();
  const take = (invoiceId: string): Entry | undefined => {
    const entry = fresh.get(invoiceId) ?? late.get(invoiceId);
    fresh.delete(invoiceId);
    late.delete(invoiceId);
    return entry;
  };
  return {
    /** Measures nothing while no number waits. */
    pass: (event: StoredEvent): void => {
      if (fresh.size === 0) return;
      time.take(event);
      for (const [invoiceId, entry] of fresh) {
        if (time.passed() - entry.takenAt < INVOICE_WITHIN_MILLISECONDS) return;
        fresh.delete(invoiceId);
        late.set(invoiceId, entry);
      }
    },
    /** Returns the number that waits for the same invoice already. */
    add: (invoiceId: string, event: StoredEvent): Entry | undefined => {
      const before = take(invoiceId);
      time.take(event);
      const { position, stream, revision } = event;
      fresh.set(invoiceId, { position, stream, revision, takenAt: time.passed() });
      return before;
    },
    take,
    late: (): ReadonlyMap<string, Entry> => late,
  };
};

/** Invoice numbers are gapless, each with its invoice or with the one that is void (docs/rules/orders.md#numbers). */
export const numbersCheck: CreateLogCheck = (report) => {
  const waiting = createWaiting();
  let next = 0;
  const takeEntry = (event: StoredEvent): void => {
    const { revision, type } = event;
    if (revision !== next || type !== 'InvoiceNumberTaken')
      report({
        ...placeOf(event),
        found: `${type} as entry ${revision + 1}`,
        expected: `InvoiceNumberTaken as entry ${next + 1}: numbers have no gap`,
      });
    next = revision + 1;
    const invoiceId = firstMatch(takenFor, event);
    const before = waiting.add(invoiceId, event);
    if (before)
      report({
        ...placeOf(event),
        found: `number ${revision + 1} for the invoice ${invoiceId}, which has number ${before.revision + 1}`,
        expected: 'one number for each invoice',
      });
  };
  const takeInvoice = (event: StoredEvent): void => {
    const invoiceNumber = firstMatch(named, event);
    const id = event.stream.slice(streamOf.invoice('').length);
    const entry = waiting.take(id);
    if (!entry)
      report({
        ...placeOf(event),
        found: `${event.type} ${invoiceNumber}, for which no number was taken`,
        expected: `an entry in ${numbers} before it`,
      });
    else if (!invoiceNumber.endsWith(ending(entry.revision + 1)))
      report({
        ...placeOf(event),
        found: `${event.type} ${invoiceNumber}`,
        expected: `number ${entry.revision + 1}, which was taken for it`,
      });
  };
  return {
    name: 'numbers',
    takeStored: (event) => {
      waiting.pass(event);
      if (event.stream === numbers) takeEntry(event);
      else if (event.type === 'InvoiceCreated' || event.type === 'InvoiceVoided') takeInvoice(event);
    },
    finish: () => {
      for (const [invoiceId, entry] of waiting.late())
        report({
          ...placeOf(entry),
          found: `number ${entry.revision + 1} without an invoice`,
          expected: `the invoice ${invoiceId}, created or void under that number`,
        });
    },
  };
};
