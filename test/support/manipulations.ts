import { streamOf } from '#values/stream-name.ts';
import type { Manipulation, OpenFile } from './manipulated-log.ts';

/** The event of a type that comes second, and has later ones behind it in its stream. */
const inTheMiddle = (log: OpenFile) => {
  const row = log.rows('StockReserved')[1] ?? log.rows('StockReserved')[0];
  return { row, place: { position: row.position, stream: row.stream, revision: row.revision } };
};

const nextOf = (log: OpenFile) => {
  const { row } = inTheMiddle(log);
  const next = log.stream(row.stream)[row.revision + 1];
  if (!next) throw new Error('it must have one behind it');
  return { next, place: { position: next.position, stream: next.stream, revision: next.revision } };
};

const lastInvoice = (log: OpenFile) => {
  const { stream } = log.rows('InvoiceCreated')[0];
  const events = log.stream(stream);
  return { first: events[0], tail: events.slice(2) };
};

/** The second number, given to the invoice that has the first. */
const secondNumber = (log: OpenFile) => {
  const [first, second] = log.rows('InvoiceNumberTaken');
  if (!second) throw new Error('there must be two numbers');
  return { first, second };
};

/** The invoice whose number has been given to another one. */
const invoiceWithoutNumber = (log: OpenFile) => {
  const { invoiceId } = JSON.parse(secondNumber(log).second.data) as { readonly invoiceId: string };
  const [created] = log.stream(streamOf.invoice(invoiceId));
  if (!created) throw new Error('it must be there');
  const { position, stream, revision } = created;
  return { position, stream, revision };
};

const placeOfFirst = (log: OpenFile, type: string) => {
  const [{ position, stream, revision }] = log.rows(type);
  return { position, stream, revision };
};

/** As one does who can hash: only what the events say of each other shows it. */
const counterRaised =
  (type: string, field: string): Manipulation['apply'] =>
  (log) => {
    const [row] = log.rows(type);
    const raised = row.data.replace(
      new RegExp(`"${field}":(\\d+)`),
      (_, count: string) => `"${field}":${Number(count) + 1}`,
    );
    log.change(row, { data: raised });
    log.hashAgain([row.stream]);
  };

const firstSealed = { check: 'seals' } as const;

/** What can be done to the file of a log, and what of it shows where. */
export const manipulations: readonly Manipulation[] = [
  {
    name: 'one byte changed',
    apply: (log) => {
      const { row } = inTheMiddle(log);
      log.change(row, { data: row.data.replace('"quantity":1', '"quantity":2') });
    },
    expected: (log) => ({ check: 'chain', ...inTheMiddle(log).place }),
  },
  {
    name: 'an event removed',
    apply: (log) => log.remove([inTheMiddle(log).row]),
    expected: (log) => ({ check: 'chain', ...nextOf(log).place }),
  },
  {
    name: 'two events of a stream swapped',
    apply: (log) => {
      const [{ row }, { next }] = [inTheMiddle(log), nextOf(log)];
      log.change(row, { position: -1 });
      log.change(next, { position: row.position });
      log.change({ position: -1 }, { position: next.position });
    },
    expected: (log) => ({
      check: 'chain',
      ...nextOf(log).place,
      position: inTheMiddle(log).place.position,
    }),
  },
  {
    name: 'two events of different streams swapped',
    apply: (log) => {
      const [one, other] = [log.rows('BasketStarted')[0], log.rows('InvoiceNumberTaken')[0]];
      log.change(one, { position: -1 });
      log.change(other, { position: one.position });
      log.change({ position: -1 }, { position: other.position });
    },
    expected: () => firstSealed,
  },
  {
    name: 'a stream cut off',
    apply: (log) => log.remove(lastInvoice(log).tail),
    expected: (log) => ({ check: 'seals', position: lastInvoice(log).tail[0]?.position ?? 0 }),
  },
  {
    name: 'a stream cut off, and the rest sealed again',
    apply: (log) => log.remove(lastInvoice(log).tail),
    isSealedAgain: true,
    expected: (log) => ({ check: 'chain', position: lastInvoice(log).tail[0]?.position ?? 0 }),
  },
  {
    name: 'the tail cut off',
    apply: (log) => log.remove(log.rows().slice(-5)),
    expected: (log) => ({ check: 'seals', position: log.rows().at(-1)?.position ?? 0 }),
  },
  {
    name: 'a number doubled, and hashed again',
    apply: (log) => {
      const { first, second } = secondNumber(log);
      log.change(second, { data: first.data });
      log.hashAgain([second.stream]);
    },
    expected: (log) => ({ check: 'numbers', ...invoiceWithoutNumber(log) }),
  },
  {
    name: 'a counter of stock changed, and hashed again',
    apply: counterRaised('StockReserved', 'reserved'),
    expected: (log) => ({ check: 'stock', ...placeOfFirst(log, 'StockReserved') }),
  },
  {
    name: 'a counter of uses changed, and hashed again',
    apply: counterRaised('DiscountUseClaimed', 'uses'),
    expected: (log) => ({ check: 'uses', ...placeOfFirst(log, 'DiscountUseClaimed') }),
  },
  {
    name: 'a whole history hashed again',
    apply: (log) => {
      const { row } = inTheMiddle(log);
      log.change(row, { data: row.data.replace('"sku":"', '"sku":"x') });
      log.hashAgain();
    },
    expected: () => firstSealed,
  },
  {
    name: 'a history hashed and sealed again',
    apply: (log) => {
      const { row } = inTheMiddle(log);
      log.change(row, { data: row.data.replace('"sku":"', '"sku":"x') });
      log.hashAgain();
    },
    isSealedAgain: true,
    isWithCopy: true,
    expected: () => firstSealed,
  },
];
