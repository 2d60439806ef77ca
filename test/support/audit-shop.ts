import { isDeepStrictEqual } from 'node:util';
import { listSandboxCharges } from '#adapters/payment-providers/sandbox/sandbox-books.ts';
import { listSandboxRefunds } from '#adapters/payment-providers/sandbox/sandbox-refunds.ts';
import type { BasketState } from '#command/contexts/basket/basket.state.ts';
import { customerUsageId } from '#command/contexts/discounts/discount-usage.commands.ts';
import { createCodec, type EventCodec } from '#log/codec.ts';
import { chainStart, verifyChain, type ChainEnd } from '#log/hash-chain.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import type { AnyProjection, Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { START, type EventStore } from '#ports/event-store.ts';
import {
  stockLevelsProjection,
  type StockDocument,
} from '#projection/contexts/catalogue/stock-levels.projection.ts';
import {
  basketProjection,
  type BasketDocument,
  type OpenBasket,
} from '#projection/contexts/basket/basket.projection.ts';
import { orderListProjection } from '#projection/contexts/orders/order-list.projection.ts';
import type { OrderDocument } from '#projection/contexts/orders/order.document.ts';
import { noSales, type SaleSums } from '#projection/contexts/reporting/day-totals.ts';
import {
  salesJournalProjection,
  type JournalEntry,
} from '#projection/contexts/reporting/sales-journal.projection.ts';
import { periodOf } from '#test/support/builders/period.ts';
import { servingGeneration } from '#projection/engine/generations.ts';
import { projectionsOf } from '#projection/engine/join-modules.ts';
import { modules } from '#projection/modules.ts';
import { loadConfig } from '#runtime/config.ts';
import { loadKeys } from '#runtime/keys.ts';
import { formatInvoiceNumber } from '#values/invoice-number.ts';
import { idOf } from '#values/stream-name.ts';
import { closeEngines, openEngines, type Engines } from '../../shared-kernel/open-engines.ts';
import { auditViews } from './audit-views.ts';
import { rowKey, ShopLedger, type InvoiceEntry } from './shop-ledger.ts';

/** Units by product. */
export type Quantities = Readonly<Record<string, number>>;

/** What shoppers have been told, so that it must be so. */
export interface Acknowledged {
  /** What is in baskets, by basket: as acknowledged, no more and no less. */
  readonly baskets?: ReadonlyMap<string, Quantities>;
  /** Adds to these baskets that nobody answered: they may have happened, in whole or not at all. */
  readonly unanswered?: ReadonlyMap<string, Quantities>;
  readonly paidInvoices?: Iterable<string>;
  /** Each of them has one refund. */
  readonly refundedInvoices?: Iterable<string>;
}

/** For a shop on engines that are open already; they stay open. */
export interface AuditEnginesOptions {
  readonly engines: Engines;
  readonly applicationKey: Buffer;
  readonly acknowledged?: Acknowledged;
}

export interface AuditOptions {
  /** Where the shop keeps its embedded engines. It should have settled and been stopped. */
  readonly dataDir: string;
  /** 32 bytes; without it, the one that the shop keeps in its data folder. */
  readonly applicationKey?: Buffer;
  /** Where its views are; without it, in the data folder too. */
  readonly readStore?: string;
  readonly acknowledged?: Acknowledged;
}

export interface Audit {
  readonly events: number;
  readonly invoices: number;
  readonly sales: number;
  /** What does not add up, in words; empty when everything does. At most a hundred. */
  readonly problems: readonly string[];
}

const MOST_PROBLEMS = 100;
const PAGE = 1000;

type Report = (problem: string) => void;

/** Checks the embedded engines of a shop, see `auditEngines`. */
export const auditShop = async (options: AuditOptions): Promise<Audit> => {
  const { dataDir, readStore, acknowledged = {} } = options;
  const views = readStore === undefined ? {} : { READ_STORE: readStore };
  const env = { DATA_DIR: dataDir, BACKOFFICE_API_KEY: 'not-needed-for-an-audit', ...views };
  const config = loadConfig({ env });
  const applicationKey = options.applicationKey ?? loadKeys(config).applicationKey;
  const engines = await openEngines(config.engines, { readOnly: true });
  try {
    return await auditEngines({ engines, applicationKey, acknowledged });
  } finally {
    await closeEngines(engines);
  }
};

/**
 * Checks the data of a shop against its own log: hash chains, invoice numbers, stock, discount uses, payments and the
 * sandbox's charges, baskets, orders and reports, and whatever has been acknowledged. Reads the log once, changes
 * nothing.
 */
export const auditEngines = async (options: AuditEnginesOptions): Promise<Audit> => {
  const { engines, applicationKey, acknowledged = {} } = options;
  const problems: string[] = [];
  const report: Report = (problem) => {
    if (problems.length < MOST_PROBLEMS) problems.push(problem);
  };
  const keys = await createSubjectKeys({ store: engines.stateStore, applicationKey });
  const codec = createCodec({ keys, applicationKey, store: engines.store });
  const { ledger, events } = await readLog(engines, codec, report);
  checkNumbers(ledger, report);
  checkHolds(ledger, report);
  checkShipped(ledger, report);
  checkAmounts(ledger, report);
  checkPayments(ledger, report);
  checkCharges(ledger, await listSandboxCharges(engines.stateStore), report);
  checkRefunds(ledger, await listSandboxRefunds(engines.stateStore), report);
  checkCredit(ledger, report);
  await checkReadModels(ledger, engines, report);
  await auditViews(engines, codec, report);
  checkAcknowledged(ledger, acknowledged, report);
  return { events, invoices: ledger.invoices.size, sales: ledger.sales.length, problems };
};

async function* pages(store: EventStore) {
  for (let after = START; ;) {
    const page = await store.readAll(after, PAGE);
    const last = page.at(-1);
    if (!last) return;
    yield page;
    after = last.position;
  }
}

const readLog = async ({ store }: Engines, codec: EventCodec, report: Report) => {
  const ledger = new ShopLedger(report);
  const ends = new Map<string, ChainEnd>();
  let events = 0;
  for await (const page of pages(store)) {
    for (const [stream, part] of Map.groupBy(page, (event) => event.stream)) {
      const verdict = verifyChain(part, ends.get(stream) ?? chainStart);
      if (verdict.isIntact) ends.set(stream, verdict.end);
      else report(`${stream} revision ${verdict.revision} is ${verdict.reason}`);
    }
    for (const event of await codec.decodeAll(page)) ledger.take(event);
    events += page.length;
  }
  return { ledger, events };
};

/** Gapless, each with its invoice, and no invoice without one. */
const checkNumbers = ({ numbers, invoices, openPlacements }: ShopLedger, report: Report): void => {
  for (const placementId of openPlacements) report(`placement ${placementId} was left open`);
  for (const [index, invoiceId] of numbers.entries()) {
    const number = formatInvoiceNumber('', index + 1);
    const found = invoices.get(invoiceId)?.invoiceNumber;
    if (found === undefined) report(`number ${number} was taken for ${invoiceId}, which does not exist`);
    else if (found !== number && !found.endsWith(`-${number}`))
      report(`invoice ${invoiceId} took number ${number} and bears ${found}`);
  }
  const numbered = new Set(numbers);
  if (numbered.size !== numbers.length) report('an invoice took two numbers');
  for (const id of invoices.keys()) if (!numbered.has(id)) report(`invoice ${id} took no number`);
};

type Live = InvoiceEntry & { readonly content: InvoiceContent };

const isLive = (invoice: InvoiceEntry): invoice is Live =>
  invoice.content !== null && !invoice.isSuperseded && !invoice.isCancelled;

/** What the invoices that stand keep, by row or counter of uses and basket. */
const keptByInvoices = (ledger: ShopLedger) => {
  const stock = new Map<string, Map<string, number>>();
  const uses = new Map<string, Set<string>>();
  const uncounted = new Set<string>();
  for (const [id, invoice] of ledger.invoices) {
    if (!isLive(invoice)) continue;
    const { content, shipped } = invoice;
    const basketId = content.basketId ?? id;
    for (const { discountId, claimedBy = basketId } of content.discounts) {
      const { customerId } = content;
      const counters = ledger.countersOf(discountId, customerId);
      if (counters === null) uncounted.add(discountId);
      if (counters === null && customerId !== null) uncounted.add(customerUsageId(discountId, customerId));
      for (const counter of counters ?? [])
        uses.set(counter, (uses.get(counter) ?? new Set()).add(claimedBy));
    }
    for (const [key, quantity] of shipped.owed(content)) {
      const holds = stock.get(key) ?? new Map<string, number>();
      stock.set(key, holds.set(basketId, (holds.get(basketId) ?? 0) + quantity));
    }
  }
  return { stock, uses, uncounted };
};

/** What was put into each row and has not left with a shipment is there. */
const checkShipped = ({ invoices, stock }: ShopLedger, report: Report): void => {
  const left = new Map<string, number>();
  for (const { content, shipped } of invoices.values()) {
    if (content === null) continue;
    for (const [key, units] of shipped.left(content)) left.set(key, (left.get(key) ?? 0) + units);
  }
  for (const [key, { trackStock, stock: there, putIn }] of stock) {
    const gone = trackStock ? (left.get(key) ?? 0) : 0;
    if (there !== putIn - gone) report(`${key}: ${there} are there, of ${putIn} have ${gone} been shipped`);
  }
};

/** Stock and discount uses are held for the invoices that stand, and for nothing else. */
const checkHolds = (ledger: ShopLedger, report: Report): void => {
  const kept = keptByInvoices(ledger);
  for (const [key, { trackStock, holds, reserved }] of ledger.stock) {
    const expected = trackStock ? (kept.stock.get(key) ?? new Map<string, number>()) : new Map();
    for (const basketId of new Set([...holds.keys(), ...expected.keys()])) {
      const [held, needed] = [holds.get(basketId) ?? 0, expected.get(basketId) ?? 0];
      if (held !== needed) report(`${key}: basket ${basketId} holds ${held}, its invoice needs ${needed}`);
    }
    const sum = [...holds.values()].reduce((total, quantity) => total + quantity, 0);
    if (sum !== reserved) report(`${key}: ${reserved} are reserved, ${sum} are held`);
  }
  for (const counter of new Set([...ledger.usage.keys(), ...kept.uses.keys()])) {
    if (kept.uncounted.has(counter)) continue;
    const claimed = ledger.usage.get(counter)?.baskets ?? new Set<string>();
    const used = kept.uses.get(counter) ?? new Set<string>();
    for (const basketId of claimed.symmetricDifference(used))
      report(`uses ${counter}: basket ${basketId} has a use or an invoice with it, not both`);
  }
};

/** The lines of an invoice, their add-ons and its orders sum to what it says. */
const checkAmounts = ({ invoices }: ShopLedger, report: Report): void => {
  for (const [id, { content }] of invoices) {
    if (content === null) continue;
    const { orders, amounts, shippingTax, discounts } = content;
    const pieces = orders.flatMap(({ lines }) => lines).flatMap((line) => [line, ...(line.addons ?? [])]);
    const offShipping = discounts.filter(({ category }) => category === 'FreeShipping');
    const discount = offShipping.reduce((sum, { amount }) => sum + amount, 0);
    const sums = { subTotal: 0, discount, shipping: 0, tax: shippingTax };
    for (const { shippingCost } of orders) sums.shipping += shippingCost;
    for (const piece of pieces) {
      sums.subTotal += piece.lineTotal;
      sums.discount += piece.discount;
      sums.tax += piece.tax;
    }
    const { total: _, ...told } = amounts;
    if (!isDeepStrictEqual(sums, told))
      report(`invoice ${id} says ${JSON.stringify(told)}, its lines sum to ${JSON.stringify(sums)}`);
  }
};

type SandboxCharges = Awaited<ReturnType<typeof listSandboxCharges>>;
type SandboxRefunds = Awaited<ReturnType<typeof listSandboxRefunds>>;

/** Takes a row of the sandbox's books off that was entered under this name. */
const takeFrom = <Row extends { readonly transactionId: string }>(
  rows: Map<string, Row[]>,
  transactionId: string,
): Row | undefined => rows.get(transactionId)?.shift();

/** Every charge was captured once, or is known to be set aside; every capture was charged. */
const checkCharges = ({ invoices }: ShopLedger, charges: SandboxCharges, report: Report): void => {
  // What was set aside and let go again is no payment, nor what was given back because nothing came of it.
  const made = charges.filter(
    ({ status, invoiceId, transactionId }) =>
      status !== 'Voided' &&
      !(status === 'Authorized' && invoices.get(invoiceId)?.held.has(transactionId)) &&
      !(status === 'Refunded' && invoices.get(invoiceId)?.undone.has(transactionId)),
  );
  const uncaptured = Map.groupBy(made, ({ transactionId }) => transactionId);
  for (const [id, invoice] of invoices) {
    for (const { transactionId, amount, provider } of invoice.captures) {
      if (provider !== 'sandbox') continue;
      const charge = takeFrom(uncaptured, transactionId);
      if (charge?.invoiceId !== id || charge.amountMinor !== amount)
        report(
          `invoice ${id}: ${amount} was captured, the sandbox charged ${charge?.amountMinor ?? 'nothing'}`,
        );
    }
  }
  for (const { _id, invoiceId } of [...uncaptured.values()].flat())
    report(`charge ${_id} of invoice ${invoiceId} was never captured`);
};

/** Every refund of the sandbox is in the log once, and no other; what came when nothing was due was given back. */
const checkRefunds = ({ invoices }: ShopLedger, refunds: SandboxRefunds, report: Report): void => {
  const ofPayments = refunds.filter(
    ({ invoiceId, chargeTransactionId }) => !invoices.get(invoiceId)?.undone.has(chargeTransactionId),
  );
  const unrecorded = Map.groupBy(ofPayments, ({ transactionId }) => transactionId);
  for (const [id, invoice] of invoices) {
    for (const { transactionId, amount, provider } of invoice.refunds) {
      if (provider !== 'sandbox') continue;
      const refund = takeFrom(unrecorded, transactionId);
      if (refund?.invoiceId !== id || refund.amountMinor !== amount)
        report(`invoice ${id}: ${amount} was refunded, the sandbox gave ${refund?.amountMinor ?? 'nothing'}`);
    }
    for (const { paymentId, transactionId, amount, isOverpayment } of invoice.captures) {
      const back = invoice.refunds
        .filter((refund) => refund.paymentId === paymentId)
        .reduce((sum, refund) => sum + refund.amount, 0);
      if (back > amount || (isOverpayment && back < amount))
        report(`invoice ${id}: of ${amount} paid as ${transactionId}, ${back} were given back`);
    }
  }
  for (const { transactionId, invoiceId } of [...unrecorded.values()].flat())
    report(`refund ${transactionId} of invoice ${invoiceId} is not in the log`);
};

/** A paid invoice is a sale that was announced once. */
const checkPayments = ({ invoices }: ShopLedger, report: Report): void => {
  for (const [id, invoice] of invoices) {
    // What became of it was never known: nobody asks on behalf of a closed invoice.
    for (const attemptId of invoice.isCancelled ? [] : invoice.openAttempts)
      report(`attempt ${attemptId} of ${id} was left open`);
    const paid = invoice.captures
      .filter(({ isOverpayment }) => !isOverpayment)
      .reduce((sum, { amount }) => sum + amount, 0);
    const due = invoice.isPaid ? (invoice.content?.amounts.total ?? 0) : 0;
    if (paid !== due && invoice.owed === null && !invoice.isEdited)
      report(`invoice ${id}: ${paid} was captured, ${due} was due`);
    if (invoice.isPaid && invoice.isSuperseded) report(`invoice ${id} was paid and superseded`);
    const taken = sumOf(invoice.captures);
    if (sumOf(invoice.refunds) > taken)
      report(`invoice ${id}: ${sumOf(invoice.refunds)} was refunded, ${taken} was captured`);
    const isEditedSale = invoice.isEdited && invoice.confirmations > 0;
    const isSale = (invoice.isPaid && !invoice.isCancelled) || invoice.owed !== null || isEditedSale;
    const wasSale = invoice.isCancelled && invoice.confirmations > 0;
    if (invoice.confirmations !== (isSale || wasSale ? 1 : 0))
      report(`invoice ${id}: its sale was announced ${invoice.confirmations} times`);
  }
};

/** What customers owe on account is what their invoices still have to bring in; a claim that failed was given back. */
const checkCredit = ({ invoices, credit }: ShopLedger, report: Report): void => {
  for (const id of new Set([...credit.keys(), ...invoices.keys()])) {
    const [owed, told] = [invoices.get(id)?.owed ?? 0, credit.get(id) ?? 0];
    if (owed !== told)
      report(`invoice ${id}: ${owed} is owed on account, its customer's stream says ${told}`);
  }
};

/** Every document of the generation that serves, without the position that the engine adds. */
const documentsOf = async <Doc extends Document>(
  { readStore }: Engines,
  projection: AnyProjection,
): Promise<Map<string, Doc>> => {
  const documents = new Map<string, Doc>();
  const serving = await servingGeneration(readStore, projection);
  if (!serving) return documents;
  for await (const { _position, ...document } of everyDocument(readStore, serving.collection))
    documents.set(document._id, document as Document as Doc);
  return documents;
};

interface StoredDocument extends Document {
  readonly _position?: number;
}

async function* everyDocument(store: DocumentStore, collection: string) {
  for (let after = ''; ;) {
    const filter = { _id: { gt: after } };
    const page = await store.find<StoredDocument>(collection, { filter, sort: [['_id', 1]], limit: PAGE });
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = last._id;
  }
}

const checkReadModels = async (ledger: ShopLedger, engines: Engines, report: Report): Promise<void> => {
  const head = await engines.store.head();
  for (const projection of projectionsOf(modules)) {
    const serving = await servingGeneration(engines.readStore, projection);
    if (serving?.checkpoint.position !== head)
      report(
        `the view ${projection.name} stands at ${serving?.checkpoint.position ?? 'nothing'}, the log at ${head}`,
      );
  }
  checkBaskets(ledger, await documentsOf(engines, basketProjection), report);
  checkStock(ledger, await documentsOf(engines, stockLevelsProjection), report);
  checkOrders(ledger, await documentsOf(engines, orderListProjection), report);
  checkSales(ledger, await documentsOf(engines, salesJournalProjection), report);
};

/** What a reader is told of a basket's status. */
const shownStatus: Readonly<Record<BasketState['status'], string>> = {
  none: 'gone',
  open: 'open',
  awaitingPayment: 'open',
  placing: 'placing',
  completed: 'completed',
  completedInPlacement: 'completed',
};

const checkBaskets = (
  { baskets }: ShopLedger,
  documents: ReadonlyMap<string, BasketDocument>,
  report: Report,
): void => {
  for (const [id, { status, basket }] of baskets) {
    const shown = { status: shownStatus[status], _id: id };
    const expected = basket === null ? {} : shown.status === 'completed' ? shown : { ...basket, ...shown };
    const { changedAt: _, ...document } = (documents.get(id) ?? {}) as Partial<OpenBasket>;
    if (!isDeepStrictEqual(document, expected)) report(`basket ${id} reads otherwise than its events`);
  }
  for (const id of documents.keys())
    if (!baskets.has(id)) report(`basket ${id} can be read, but is not in the log`);
};

const checkStock = (
  { stock }: ShopLedger,
  documents: ReadonlyMap<string, StockDocument>,
  report: Report,
): void => {
  const rows = [...documents.values()].flatMap(({ _id, rows: byWarehouse }) =>
    Object.entries(byWarehouse).map(([warehouseId, row]) => [rowKey(_id, warehouseId), row] as const),
  );
  const shown = new Map(rows);
  for (const key of new Set([...stock.keys(), ...shown.keys()])) {
    const [row, entry] = [shown.get(key), stock.get(key)];
    if (row?.stock !== entry?.stock || row?.reserved !== entry?.reserved)
      report(`${key}: the view shows other levels than the stream`);
  }
};

const sumOf = (money: readonly { readonly amount: number }[]): number =>
  money.reduce((sum, { amount }) => sum + amount, 0);

const checkOrders = (
  { invoices }: ShopLedger,
  orders: ReadonlyMap<string, OrderDocument>,
  report: Report,
): void => {
  const standing = [...invoices].filter(([, { isDeleted }]) => !isDeleted);
  if (orders.size !== standing.length)
    report(`${orders.size} orders are listed, ${standing.length} were made and not deleted`);
  for (const [id, invoice] of standing) {
    const order = orders.get(id);
    const listed = order && {
      invoiceNumber: order.invoiceNumber,
      isActive: order.cancellationStatus === 'active',
      isPaid: ['Paid', 'PartiallyRefunded', 'Refunded'].includes(order.balance.paymentStatus),
      isConfirmed: order.confirmedAt !== null,
      paid: order.balance.amountPaid,
      refunded: order.balance.amountRefunded,
      content: order.content,
    };
    const told = {
      invoiceNumber: invoice.invoiceNumber,
      isActive: isLive(invoice),
      isPaid: invoice.isPaid,
      isConfirmed: invoice.confirmations > 0,
      paid: sumOf(invoice.captures),
      refunded: sumOf(invoice.refunds),
      content: invoice.content,
    };
    if (!isDeepStrictEqual(listed, told)) report(`order ${id} is listed otherwise than its events tell`);
  }
};

const ALWAYS = { start: '1900-01-01', end: '9999-12-31' };

/** The figures of a day that are sums over its sales. */
const sumsOf = ({ grossSales, discounts, returns, shipping, taxes, total, invoices, items }: SaleSums) => ({
  ...{ grossSales, discounts, returns, shipping, taxes, total, invoices, items },
});

const checkSales = (
  { sales, invoices }: ShopLedger,
  journal: ReadonlyMap<string, JournalEntry>,
  report: Report,
): void => {
  const expected = new Map<string, ReturnType<typeof sumsOf>>();
  for (const { stream, data } of sales) {
    const invoice = invoices.get(idOf(stream));
    if (invoice?.isCancelled) continue;
    // As it was edited since.
    const content = invoice?.content ?? data.content;
    const { subTotal, discount, shipping, tax, total } = content.amountsInStoreCurrency;
    const day = expected.get(content.businessDay) ?? sumsOf(noSales);
    expected.set(content.businessDay, {
      grossSales: day.grossSales + subTotal,
      discounts: day.discounts + discount,
      returns: day.returns + (invoice?.returns ?? 0),
      shipping: day.shipping + shipping,
      taxes: day.taxes + tax,
      total: day.total + total,
      invoices: day.invoices + 1,
      items: day.items + content.itemCount,
    });
  }
  const { sales: days } = periodOf(ALWAYS, [...journal.values()]);
  for (const day of new Set([...expected.keys(), ...days.keys()])) {
    const [reported, told] = [sumsOf(days.get(day) ?? noSales), expected.get(day) ?? sumsOf(noSales)];
    if (!isDeepStrictEqual(reported, told))
      report(`the report of ${day} says ${JSON.stringify(reported)}, its sales ${JSON.stringify(told)}`);
  }
};

const checkAcknowledged = (
  { baskets: found, invoices }: ShopLedger,
  { baskets = new Map(), unanswered = new Map(), paidInvoices = [], refundedInvoices = [] }: Acknowledged,
  report: Report,
): void => {
  for (const [id, quantities] of baskets) {
    const lines = found.get(id)?.basket?.lines ?? [];
    const units = new Map<string, number>();
    for (const { productId, quantity } of lines) units.set(productId, (units.get(productId) ?? 0) + quantity);
    const open: Quantities = unanswered.get(id) ?? {};
    for (const productId of new Set([...units.keys(), ...Object.keys(quantities)])) {
      const [has, told] = [units.get(productId) ?? 0, quantities[productId] ?? 0];
      if (has < told || has > told + (open[productId] ?? 0))
        report(`basket ${id} holds ${has} of ${productId}, its shopper was told ${told}`);
    }
  }
  for (const id of paidInvoices)
    if (!invoices.get(id)?.isPaid) report(`invoice ${id} was paid, its shopper was told, and it is not`);
  for (const id of refundedInvoices) {
    const times = invoices.get(id)?.refunds.length;
    if (times !== 1) report(`invoice ${id} was refunded once, and is ${times} times`);
  }
};
