import { measureBatch } from './batch-row.ts';
import { measureCallbacks } from './callback-rows.ts';
import { measureAgents } from './agent-rows.ts';
import { measureAgentSignatures } from './agent-signature-rows.ts';
import { measureAgentNotices } from './notice-rows.ts';
import { measureAgentCatalogue } from './agent-catalogue-rows.ts';
import { measureCatalogue, measureInitialize } from './catalogue-rows.ts';
import { measureDownloads } from './download-row.ts';
import { measureDeliveryFigures } from './delivery-figure-rows.ts';
import { measureDiscounts } from './discount-rows.ts';
import { measureUses } from './use-rows.ts';
import { measureDistributed } from './distributed.ts';
import { measureAbandoned } from './abandoned-rows.ts';
import { measureExpiry } from './expiry-rows.ts';
import { measureFloor } from './floor-row.ts';
import { measureRuledAdds } from './ruled-adds.ts';
import type { Figure } from './figures.ts';
import { measureHttpRow, type Bench, type HttpRowName } from './http-rows.ts';
import { measureReplayOfWebhooks } from './replay-webhooks.ts';
import { measureReplay, measureStarts } from './log-rows.ts';
import { measureRebuild } from './rebuild-rows.ts';
import { measureHangingLeader, measureSlowLog } from './log-server-rows.ts';
import { measureMails } from './mail-rows.ts';
import { measureOAuth } from './oauth-rows.ts';
import { measureOffers } from './offer-row.ts';
import { measureOrders } from './order-rows.ts';
import { measureTerms } from './terms-rows.ts';
import { measureEdits } from './edit-rows.ts';
import { measureShipments } from './shipment-rows.ts';
import { measureRedirects } from './redirect-row.ts';
import { measureSignIns } from './sign-in-rows.ts';
import { measureVerify, measureVerifyMemory } from './verify-rows.ts';
import { measureUpsellEvents } from './upsell-event-rows.ts';
import { measureSimulation } from './simulate-rows.ts';
import { measureSuggestions } from './suggestion-rows.ts';
import {
  measureDeadReceiver,
  measureDeliveries,
  measureFanOut,
  measureQueuedMemory,
  measureShopWithWebhooks,
} from './webhook-rows.ts';
import { measureWhatIf } from './what-if-rows.ts';

export const PRODUCTS = 1000;
export const ORDERS = 10_000;
/** Of the rows about very many of them. */
export const MANY_ORDERS = 100_000;
const httpRows = ['add', 'get', 'purchase', 'upsells'] as const;
export const rowNames = [
  ...httpRows,
  'floor',
  'replay',
  'rebuild',
  'verify',
  'verify-memory',
  'start',
  'webhooks',
  'deliveries',
  'fan-out',
  'dead',
  'queued',
  'agent-notices',
  'delivery-figures',
  'mails',
  'replay-webhooks',
  'simulate',
  'what-if',
  'expiry',
  'abandoned',
  'callbacks',
  'redirect',
  'sign-in',
  'orders',
  'batch',
  'terms',
  'shipments',
  'offers',
  'edits',
  'downloads',
  'catalogue',
  'agent-catalogue',
  'agents',
  'agent-signatures',
  'oauth-tokens',
  'initialize',
  'discounts',
  'ruled-adds',
  'uses',
  'suggestions',
  'upsell-events',
  'distributed',
  'slow-log',
  'hanging-leader',
] as const;
/** Measured only when they are asked for, as they are not about the embedded engines. */
export const onRequest: readonly RowName[] = ['distributed', 'slow-log', 'hanging-leader'];
export type RowName = (typeof rowNames)[number];

/** How much the rows are about. */
export interface Sizes {
  readonly events: number;
  readonly orders?: number;
  readonly variants: number;
  readonly quick: boolean;
}

/** What each row is about, for `--help`. */
export const rowsHelp = `
Rows about what is bought:
  floor           what durability alone costs an add: bare Express with one append and one document, beside the shop

Rows about a large catalogue:
  catalogue       adds, lists, searches, facets, details and availability, memory, start and pauses of a shop with many variants
  agent-catalogue search and lookup by 16 agents, memory of the search, how soon a renamed product is found
  initialize      shipping of 20 lines from 10 warehouses by 200 options

Rows about many orders:
  orders          the order list: each filter, sort and page, and search, with few and many orders
  batch           1,000 invoices paid by one request, beside shoppers who add
  terms           what a customer with very many open invoices owes, and the job that reminds
  offers          something added after a purchase and charged to a saved card, one buyer after the other
  shipments       shipments, one an order, 16 at once, until the stock has followed
  edits           preview and edit of an order of 200 lines
  what-if         simulated sales priced again with a discount rule more: sales per second, memory, differences

Rows about the log:
  verify          every check of audit verify, in turn with raw scans of the same log
  verify-memory   the memory of a verification of 1,500,000 streams

Rows about agents:
  agents          manifest, sessions read and changed, purchases in two calls, 100,000 open sessions, shoppers beside them
  agent-signatures  signing an answer, verifying a request, purchases signed on both sides in turn with unsigned ones
  oauth-tokens    codes redeemed and tokens refreshed for 16 members at once
  agent-notices   notices: per second, to the first byte, beside a dead receiver, memory with 100,000 queued

Rows about webhooks and mails:
  webhooks        from the event to the first byte in an idle shop, and what a subscription costs the adds
  deliveries      deliveries per second of one process, to 1, 5 and 20 subscriptions
  fan-out         one event that 1,000 subscriptions are told of, until each delivery is recorded
  dead            50 healthy receivers beside a dead one with 10,000 queued, in turn with them alone
  queued          memory with 100,000 queued deliveries
  delivery-figures  statistics, series and pages of 1,000,000 deliveries
  replay-webhooks  10,000 and 100,000 given-up deliveries sent again: queued per second, what is new meanwhile, memory
  mails           order confirmations that become files, and webhooks beside a mail server that hangs

Rows about files:
  downloads       a file of 1 GB, read by four at once, in turn with Express that sends the same file

Rows about paying:
  callbacks       callbacks of a provider, five copies of each, and the memory of purchases with refunds
  redirect        purchases at the provider's page, in EUR from a USD store, in turn with card purchases

Rows about many discounts:
  discounts       a basket priced beside 100 and 10,000 active discounts, and one of 6,000 pieces with offers
  ruled-adds      adds beside 10,000 automatic discounts, 5 of which apply, in turn with a shop that has those 5 alone
  uses            a use of a limited discount after 1,000 and 100,000 sales, and the memory of 10,000 rules

Rows about upsells:
  upsells         what goes with a basket of the demo store, shown to 64 shoppers
  suggestions     what 100 rules, and 2,000, suggest for 20 lines in a shop with many variants
  upsell-events   impressions and clicks, and the performance of a rule over two years of simulated sales

Rows that are measured only with --only:
  distributed     the three services apart, on servers
  slow-log        a purchase on a log that takes 2 ms longer for every call
  hanging-leader  shoppers while the leader of the log's cluster hangs: a line for each second`;

export const isHttpRow = (name: RowName): name is HttpRowName => httpRows.some((known) => known === name);

export const measureRow = (
  bench: Bench,
  name: RowName,
  { events, orders: wanted, variants, quick }: Sizes,
): Promise<Figure[]> => {
  const [orders, many] = [wanted ?? ORDERS, wanted ?? MANY_ORDERS];
  if (isHttpRow(name)) return measureHttpRow(bench, name, PRODUCTS);
  switch (name) {
    case 'floor':
      return measureFloor(bench);
    case 'replay':
      return measureReplay(bench, quick ? 20_000 : 200_000);
    case 'rebuild':
      return measureRebuild(bench, quick ? 20_000 : 200_000);
    case 'verify':
      return measureVerify(bench, quick ? 20_000 : 200_000);
    case 'verify-memory':
      return measureVerifyMemory(bench, quick ? 100_000 : 1_500_000);
    case 'start':
      return measureStarts(bench, quick ? Math.min(events, 50_000) : events);
    case 'webhooks':
      return measureShopWithWebhooks(bench);
    case 'deliveries':
      return measureDeliveries(bench);
    case 'fan-out':
      return measureFanOut(bench);
    case 'dead':
      return measureDeadReceiver(bench);
    case 'queued':
      return measureQueuedMemory(bench);
    case 'agent-notices':
      return measureAgentNotices(bench);
    case 'delivery-figures':
      return measureDeliveryFigures(bench, quick ? 20_000 : 1_000_000);
    case 'replay-webhooks':
      return measureReplayOfWebhooks(bench, quick ? [500, 2000] : [10_000, 100_000]);
    case 'mails':
      return measureMails(bench);
    case 'oauth-tokens':
      return measureOAuth(bench);
    case 'sign-in':
      return measureSignIns(bench);
    case 'callbacks':
      return measureCallbacks(bench, quick ? 600 : orders * 2);
    case 'redirect':
      return measureRedirects(bench);
    case 'expiry':
      return measureExpiry(bench, quick ? 2000 : 100_000);
    case 'abandoned':
      return measureAbandoned(bench, quick ? 2000 : 100_000, quick ? 100 : 1000);
    case 'orders':
      return measureOrders(bench, quick ? 4000 : many);
    case 'batch':
      return measureBatch(bench, quick ? 200 : 1000);
    case 'terms':
      return measureTerms(bench, quick ? 4000 : many, quick ? 500 : many / 20);
    case 'shipments':
      return measureShipments(bench, quick ? 200 : 2000);
    case 'offers':
      return measureOffers(bench, quick ? 30 : 200);
    case 'downloads':
      return measureDownloads(bench);
    case 'edits':
      return measureEdits(bench, quick ? 20 : 200);
    case 'catalogue':
      return measureCatalogue(bench, quick ? Math.min(variants, 3000) : variants);
    case 'agent-catalogue':
      return measureAgentCatalogue(bench, quick ? Math.min(variants, 3000) : variants);
    case 'agents':
      return measureAgents(bench, quick ? 1000 : 100_000, quick ? 50 : 200);
    case 'agent-signatures':
      return measureAgentSignatures(bench);
    case 'initialize':
      return measureInitialize(bench);
    case 'discounts':
      return Promise.resolve(measureDiscounts(bench));
    case 'ruled-adds':
      return measureRuledAdds(bench);
    case 'uses':
      return Promise.resolve(measureUses(bench));
    case 'suggestions':
      return Promise.resolve(measureSuggestions(bench, quick ? Math.min(variants, 3000) : variants));
    case 'upsell-events':
      return measureUpsellEvents(bench, quick ? 300 : orders);
    case 'distributed':
      return measureDistributed(bench);
    case 'slow-log':
      return measureSlowLog(bench);
    case 'hanging-leader':
      return measureHangingLeader(bench);
    case 'what-if':
      return measureWhatIf(bench, quick ? Math.min(orders, 500) : orders);
    case 'simulate':
      return measureSimulation(bench, quick ? Math.min(orders, 1000) : orders);
  }
};
