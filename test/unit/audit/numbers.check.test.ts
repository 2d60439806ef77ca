import { expect } from 'chai';
import { invoiceEvents, invoiceNumberEvents } from '#events/invoice.events.ts';
import { numbersCheck } from '#projection/contexts/audit/verification/numbers.check.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { foundBy, foundInLog } from '#test/support/found-by-check.ts';
import { recordedEvents, type GivenEvent } from '#test/support/given.ts';
import { INVOICE_NUMBERS } from '#values/invoice-number.ts';
import { streamOf } from '#values/stream-name.ts';

const { InvoiceCreated, InvoiceVoided } = invoiceEvents.create;
const numbers = streamOf.invoiceNumbers(INVOICE_NUMBERS);

const taken = (name: string): GivenEvent => ({
  ...invoiceNumberEvents.create.InvoiceNumberTaken({ invoiceId: idNamed(name) }),
  stream: numbers,
});

const created = (name: string, invoiceNumber: string): GivenEvent => ({
  ...InvoiceCreated({ ...invoice(name).placed.data, invoiceNumber }),
  stream: streamOf.invoice(idNamed(name)),
});

const voided = (name: string, invoiceNumber: string): GivenEvent => ({
  ...InvoiceVoided({
    ...{ invoiceNumber, businessDay: '2026-01-05' },
    ...{ placementId: idNamed('placement'), reason: 'no stock' },
  }),
  stream: streamOf.invoice(idNamed(name)),
});

const sold = () => [
  taken('one'),
  taken('two'),
  created('two', 'INV-0002'),
  created('one', 'INV-0001'),
  taken('three'),
  voided('three', 'INV-0003'),
];

/** Events of other streams, this many seconds after nine o'clock, which is when the log begins. */
const atWork = (...seconds: readonly number[]): readonly GivenEvent[] =>
  seconds.map((second) => ({
    type: 'Happened',
    data: {},
    recordedAt: new Date(Date.UTC(2026, 0, 5, 9) + second * 1000).toISOString(),
  }));
const TEN_MINUTES = 600;
const places = (problems: readonly { readonly position: number | null; readonly found: string }[]) =>
  problems.map(({ position, found }) => [position, found]);

/** docs/rules/proof.md#what-adds-up */
describe('The check of invoice numbers', () => {
  it('finds nothing where each has its invoice, created or void, whatever its prefix', () => {
    expect(foundBy(numbersCheck, sold())).to.deep.equal([]);
    expect(foundBy(numbersCheck, [taken('one'), created('one', 'SHOP/26-0001')])).to.deep.equal([]);
  });

  it('names a gap', () => {
    const log = recordedEvents(sold()).filter(({ position }) => position !== 1);
    expect(foundInLog(numbersCheck, log)).to.deep.equal([
      {
        ...{ position: 2, stream: numbers, revision: 1 },
        found: 'InvoiceNumberTaken as entry 2',
        expected: 'InvoiceNumberTaken as entry 1: numbers have no gap',
      },
      {
        ...{ position: 4, stream: streamOf.invoice(idNamed('one')), revision: 0 },
        found: 'InvoiceCreated INV-0001, for which no number was taken',
        expected: `an entry in ${numbers} before it`,
      },
    ]);
  });

  it('names a number that stands on another invoice, or on two', () => {
    expect(places(foundBy(numbersCheck, [...sold().slice(0, 3), created('one', 'INV-0002')]))).to.deep.equal([
      [4, 'InvoiceCreated INV-0002'],
    ]);
    expect(places(foundBy(numbersCheck, [...sold(), created('one', 'INV-0001')]))).to.deep.equal([
      [7, 'InvoiceCreated INV-0001, for which no number was taken'],
    ]);
    expect(
      places(foundBy(numbersCheck, [taken('one'), taken('one'), created('one', 'INV-0002')])),
    ).to.have.length(1);
  });

  it('names a number without an invoice, once a purchase that takes it cannot be under way any more', () => {
    const log = [...sold(), taken('four')];
    expect(foundBy(numbersCheck, [...log, ...atWork(30, 60, 90, 120)])).to.deep.equal([]);
    expect(foundBy(numbersCheck, [...log, ...atWork(30, 60, 90, 120, 150)])).to.deep.equal([
      {
        ...{ position: 7, stream: numbers, revision: 3 },
        found: 'number 4 without an invoice',
        expected: `the invoice ${idNamed('four')}, created or void under that number`,
      },
    ]);
  });

  it('waits for a purchase that a crash has interrupted, until the shop is at work again', () => {
    const crashed = [...sold(), taken('four'), ...atWork(TEN_MINUTES, TEN_MINUTES + 60)];
    expect(foundBy(numbersCheck, crashed)).to.deep.equal([]);
    const clocksApart = Array.from({ length: 20 }, () => [TEN_MINUTES, TEN_MINUTES + 10]).flat();
    expect(foundBy(numbersCheck, [...crashed, ...atWork(...clocksApart)])).to.deep.equal([]);
    const resumed = [...crashed, ...atWork(TEN_MINUTES + 200), created('four', 'INV-0004')];
    expect(foundBy(numbersCheck, resumed)).to.deep.equal([]);
    expect(places(foundBy(numbersCheck, [...crashed, ...atWork(690, 720)]))).to.deep.equal([
      [7, 'number 4 without an invoice'],
    ]);
  });
});
