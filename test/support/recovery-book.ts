import type { AbandonedCheckoutEvent } from '#events/abandoned-checkout.events.ts';
import { isActivity } from '#events/basket-activity.ts';
import type { BasketEvent } from '#events/basket.events.ts';
import type { CheckoutEvent } from '#events/checkout.events.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType, Recorded } from '#kernel/event.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { categoryOf, idOf } from '#values/stream-name.ts';

type RecordEvent = Recorded<AbandonedCheckoutEvent>;
type Sale = Recorded<Extract<InvoiceEvent, { type: 'SaleConfirmed' }>>;

/** A mail that an event makes due. */
export interface DueMail {
  readonly position: number;
  readonly topic: string;
  /** Of the checkout that it is about; null: it confirms an order. */
  readonly recordId: string | null;
}

const endings: readonly string[] = [
  'CheckoutResumed',
  'CheckoutRecovered',
  'CheckoutConverted',
  'CheckoutRecoveryExpired',
  'AbandonedBasketLost',
];

const payments: readonly string[] = [
  'PaymentPromised',
  'PaymentPending',
  'PaymentAuthorized',
  'PaymentCaptured',
  'PurchaseOrderAccepted',
];

/** A second book of checkouts that were left, and of the mails that were due, kept with nothing but the events. */
export class RecoveryBook {
  readonly due: DueMail[] = [];
  readonly #records = new Map<string, RecordEvent[]>();
  /** By record. */
  readonly #sales = new Map<string, Sale>();
  readonly #forgotten = new Set<string>();
  /** By record: the position at which its shopper last did something, or money for its basket was promised or came. */
  readonly #lastSeen = new Map<string, number>();
  /** Records by the invoices of their baskets. */
  readonly #recordOf = new Map<string, string>();

  constructor(events: readonly Recorded[]) {
    for (const event of events) this.#take(event);
  }

  get recovered(): number {
    return this.#count('CheckoutRecovered');
  }

  get converted(): number {
    return this.#count('CheckoutConverted');
  }

  hasRecovered(basketId: string): boolean {
    const events = this.#records.get(abandonedCheckoutId(basketId)) ?? [];
    return events.some(({ type }) => type === 'CheckoutRecovered');
  }

  /** Whether something has happened after which a recovery mail was not wanted any more. */
  isOvertaken({ recordId, position }: DueMail): boolean {
    if (recordId === null) return false;
    if (this.#sales.has(recordId) || this.#forgotten.has(recordId)) return true;
    if ((this.#lastSeen.get(recordId) ?? 0) > position) return true;
    const since = (this.#records.get(recordId) ?? []).filter((event) => event.position > position);
    return since.some(({ type }) => endings.includes(type));
  }

  /** Whether it was asked for when its checkout had been bought. */
  isAfterSale({ recordId, position }: DueMail): boolean {
    const sale = recordId === null ? undefined : this.#sales.get(recordId);
    return sale !== undefined && position > sale.position;
  }

  /** What does not add up, in words. */
  problems(): readonly string[] {
    return [...this.#records].flatMap(([id, events]) =>
      [...twiceUsed(events), ...misnumbered(events), ...wronglyConverted(events, this.#sales.get(id))].map(
        (problem) => `abandoned checkout ${id} ${problem}`,
      ),
    );
  }

  #take(event: Recorded): void {
    const category = categoryOf(event.stream);
    if (category === 'abandonedCheckout') this.#takeRecord(event as RecordEvent);
    else if (category === 'invoice') this.#takeInvoice(event as Recorded<InvoiceEvent>);
    else if (category === 'basket') this.#takeBasket(event as Recorded<BasketEvent | CheckoutEvent>);
  }

  #takeBasket(event: Recorded<BasketEvent | CheckoutEvent>): void {
    const recordId = abandonedCheckoutId(idOf(event.stream));
    if (event.type === 'BasketForgotten') this.#forgotten.add(recordId);
    if (event.type === 'OrderPlaced') this.#recordOf.set(event.data.invoiceId, recordId);
    if (isActivity(event)) this.#lastSeen.set(recordId, event.position);
  }

  #takeInvoice(event: Recorded<InvoiceEvent>): void {
    const recordId = this.#recordOf.get(idOf(event.stream));
    if (recordId !== undefined && payments.includes(event.type)) this.#lastSeen.set(recordId, event.position);
    if (event.type === 'SaleConfirmed') this.#takeSale(event as Sale);
  }

  #takeRecord(event: RecordEvent): void {
    const recordId = idOf(event.stream);
    this.#records.set(recordId, [...(this.#records.get(recordId) ?? []), event]);
    if (event.type === 'RecoveryMailRequested')
      this.due.push({
        position: event.position,
        topic: `checkout.abandoned.${event.data.kind}`,
        recordId,
      });
  }

  #takeSale(sale: Sale): void {
    this.due.push({ position: sale.position, topic: 'order.created', recordId: null });
    const { basketId } = sale.data.content;
    if (basketId !== null) this.#sales.set(abandonedCheckoutId(basketId), sale);
  }

  #count(type: AbandonedCheckoutEvent['type']): number {
    return [...this.#records.values()].flat().filter((event) => event.type === type).length;
  }
}

const ofType = <Type extends AbandonedCheckoutEvent['type']>(events: readonly RecordEvent[], type: Type) =>
  events.filter(
    (event): event is Recorded<EventOfType<AbandonedCheckoutEvent, Type>> & RecordEvent =>
      event.type === type,
  );

const twiceUsed = (events: readonly RecordEvent[]): readonly string[] => {
  const uses = Map.groupBy(ofType(events, 'CheckoutRecovered'), ({ data }) => data.linkNumber);
  return [...uses]
    .filter(([, { length }]) => length > 1)
    .map(([link, { length }]) => `was recovered ${length} times by link ${link}`);
};

const misnumbered = (events: readonly RecordEvent[]): readonly string[] =>
  ofType(events, 'RecoveryMailRequested').flatMap(({ data: { sequence, mailsSent } }, index) =>
    sequence === index + 1 && mailsSent === index + 1
      ? []
      : [`asked for mail ${sequence}, of ${mailsSent}, when ${index} had been asked for`],
  );

const wronglyConverted = (events: readonly RecordEvent[], sale: Sale | undefined): readonly string[] => {
  const conversions = ofType(events, 'CheckoutConverted');
  const last = events.at(-1);
  const problems: string[] = [];
  if (conversions.length !== (sale ? 1 : 0))
    problems.push(`was converted ${conversions.length} times, with ${sale ? 'a' : 'no'} sale`);
  for (const { data } of conversions)
    if (sale && data.invoiceId !== idOf(sale.stream)) problems.push('was converted by another invoice');
  if (conversions.length > 0 && last?.type !== 'CheckoutConverted')
    problems.push(`is told of ${last?.type} after its sale`);
  return problems;
};
