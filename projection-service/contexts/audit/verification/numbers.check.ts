import type { StoredEvent } from '#ports/event-store.ts';
import { instantOf } from '#log/log-span.ts';
import { formatInvoiceNumber, INVOICE_NUMBERS } from '#values/invoice-number.ts';
import { streamOf } from '#values/stream-name.ts';
import { placeOf, type CreateLogCheck, type LogEnd, type Report } from './log-check.ts';

const numbers = streamOf.invoiceNumbers(INVOICE_NUMBERS);

const takenFor = /"invoiceId"\s*:\s*"([^"]*)"/;
const named = /"invoiceNumber"\s*:\s*"([^"]*)"/;

/** An invoice follows its number at once; after a crash, as soon as the shop is back and has looked around. */
const INVOICE_WITHIN_MILLISECONDS = 120_000;

const firstMatch = (pattern: RegExp, { data }: StoredEvent): string => pattern.exec(data)?.[1] ?? '';

/** The number without its prefix, which settings may change. */
const ending = (number: number): string => formatInvoiceNumber('', number);

/** A number that no invoice has yet. */
type Entry = Pick<StoredEvent, 'position' | 'stream' | 'revision'> & { readonly takenAt: number | null };

const reportWaiting = (report: Report, entries: Iterable<[string, Entry]>, end: LogEnd): void => {
  const endedAt = end.recordedAt === null ? NaN : Date.parse(end.recordedAt);
  for (const [invoiceId, entry] of entries) {
    if (endedAt - (entry.takenAt ?? 0) < INVOICE_WITHIN_MILLISECONDS) continue;
    report({
      ...placeOf(entry),
      found: `number ${entry.revision + 1} without an invoice`,
      expected: `the invoice ${invoiceId}, created or void under that number`,
    });
  }
};

/** Invoice numbers are gapless, each with its invoice or with the one that is void (docs/rules/orders.md#numbers). */
export const numbersCheck: CreateLogCheck = (report) => {
  /** By invoice: emptied as they come, so that it does not grow with the shop. */
  const waiting = new Map<string, Entry>();
  let next = 0;
  const takeEntry = (event: StoredEvent): void => {
    const { position, stream, revision, type } = event;
    if (revision !== next || type !== 'InvoiceNumberTaken')
      report({
        ...placeOf(event),
        found: `${type} as entry ${revision + 1}`,
        expected: `InvoiceNumberTaken as entry ${next + 1}: numbers have no gap`,
      });
    next = revision + 1;
    const invoiceId = firstMatch(takenFor, event);
    const before = waiting.get(invoiceId);
    if (before)
      report({
        ...placeOf(event),
        found: `number ${revision + 1} for the invoice ${invoiceId}, which has number ${before.revision + 1}`,
        expected: 'one number for each invoice',
      });
    waiting.set(invoiceId, { position, stream, revision, takenAt: instantOf(event) });
  };
  const takeInvoice = (event: StoredEvent): void => {
    const invoiceNumber = firstMatch(named, event);
    const id = event.stream.slice(streamOf.invoice('').length);
    const entry = waiting.get(id);
    waiting.delete(id);
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
      if (event.stream === numbers) takeEntry(event);
      else if (event.type === 'InvoiceCreated' || event.type === 'InvoiceVoided') takeInvoice(event);
    },
    finish: (end) => reportWaiting(report, waiting, end),
  };
};
