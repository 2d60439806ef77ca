import { readFileSync, globSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { basketEvents } from '#events/basket.events.ts';
import { customerEvents } from '#events/customer.events.ts';
import { withoutPersonalFields, type EventDefinition } from '#events/define-events.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import { eventDefinition } from '#events/registry.ts';
import type { DomainEvent, Recorded } from '#kernel/event.ts';
import type { AnyProjection } from '#kernel/projection.ts';
import { applyEvents, eventTypesOf, type HeldDocuments } from '#projection/engine/apply-batch.ts';
import { recordedEvents, type GivenEvent } from '#test/support/given.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { streamOf } from '#values/stream-name.ts';

/** Stands for everything personal: what a view must not hold once its subject is forgotten. */
const PERSONAL = 'Ada Lovelace';

const id = '0b7e1d52-6f0f-5e11-9c55-3c2b6f1c6a01';
const at = '2026-03-02T09:00:00.000Z';

const categories: Readonly<Record<string, string>> = { checkout: 'basket', customers: 'customer' };

/** The record of a checkout is named after its basket. */
const streamOfEvent = ({ context }: EventDefinition): string =>
  context === 'abandoned-checkouts'
    ? streamOf.abandonedCheckout(abandonedCheckoutId(id))
    : `${categories[context] ?? context}-${id}`;

/** Every text in it is personal, so that it is found wherever a view puts it. */
const marked = (value: unknown): unknown => {
  if (typeof value === 'string') return PERSONAL;
  if (Array.isArray(value)) return value.map(marked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, marked(one)]));
};

/** Where a fixture leaves a personal field out or null, the schema says what could stand there. */
const saidIn = (definition: EventDefinition, field: string, value: unknown): unknown => {
  if ((value ?? null) !== null) return marked(value);
  const possible = [PERSONAL, { text: PERSONAL }, 1].find(
    (one) => definition.schema.shape[field]?.safeParse(one).success,
  );
  return possible ?? value;
};

const fixture = ({ type, schemaVersion }: EventDefinition): object => {
  const file = new URL(`../support/fixtures/events/${type}.v${schemaVersion}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as object;
};

const eventOf = (type: string): GivenEvent => {
  const definition = eventDefinition(type) as EventDefinition;
  const data = fixture(definition) as Record<string, unknown>;
  const personal = definition.personalFields.map((field) => [field, saidIn(definition, field, data[field])]);
  return { type, data: { ...data, ...Object.fromEntries(personal) }, stream: streamOfEvent(definition) };
};

const forgottenEvent = (event: GivenEvent): GivenEvent => ({
  ...event,
  data: withoutPersonalFields(eventDefinition(event.type) as EventDefinition, event.data as object),
});

const apply = (view: AnyProjection, events: readonly Recorded[]): HeldDocuments => {
  const to: HeldDocuments = new Map();
  const types = eventTypesOf(view);
  const poisoned = applyEvents(
    view,
    events.filter(({ type }) => types.has(type)),
    to,
    new Set(),
  );
  expect(poisoned, 'events that the view cannot take').to.equal(null);
  return to;
};

const documentsIn = (held: HeldDocuments): Readonly<Record<string, unknown>> =>
  Object.fromEntries([...held].map(([key, { document }]) => [key, document]));

const holdsPersonal = (held: HeldDocuments): boolean =>
  JSON.stringify(documentsIn(held)).toLowerCase().includes(PERSONAL.toLowerCase());

/** Makes a document where there is none. */
const beginsOne = (view: AnyProjection, type: string): boolean => {
  try {
    return [...apply(view, recordedEvents([eventOf(type)])).values()].some(({ document }) => document);
  } catch {
    return false;
  }
};

/** What forgets a customer, their basket and their invoice, with the payments that the view shows. */
const forgetting = (documentIds: readonly string[]): readonly GivenEvent[] => {
  const events: readonly DomainEvent[] = [
    customerEvents.create.CustomerForgettingStarted({ segmentIds: [id], tagsLost: [], isForced: false, at }),
    basketEvents.create.BasketForgotten({ at }),
    invoiceEvents.create.InvoiceForgotten({
      invoiceNumber: 'INV-000001',
      businessDay: '2026-03-01',
      paymentIds: [...documentIds],
      at,
    }),
  ];
  return events.map((event) => ({
    ...event,
    stream: streamOfEvent(eventDefinition(event.type) as EventDefinition),
  }));
};

/** So many events that what a view says of the next ones stands in another document. */
const MANY = 150;

const inLongStream = (events: readonly Recorded[], earlier: number): readonly Recorded[] =>
  events.map((event) => ({ ...event, revision: event.revision + earlier }));

const isView = (exported: unknown): exported is AnyProjection =>
  typeof exported === 'object' && exported !== null && 'keys' in exported && 'on' in exported;

const views = (
  await Promise.all(
    globSync('projection-service/contexts/**/*.projection.ts').map(
      async (file) => Object.values((await import(resolve(file))) as object) as readonly unknown[],
    ),
  )
)
  .flat()
  .filter(isView);

/** Each event of the view that says something personal, after one that begins a document, if it needs one. */
const historiesOf = (view: AnyProjection): readonly (readonly GivenEvent[])[] => {
  const types = [...eventTypesOf(view)];
  const begins = types.filter((type) => beginsOne(view, type));
  const personal = types.filter((type) => (eventDefinition(type)?.personalFields.length ?? 0) > 0);
  return personal.flatMap((type) =>
    [[], ...begins.filter((begin) => begin !== type).map((begin) => [begin])].map((before) =>
      [...before, type].map(eventOf),
    ),
  );
};

/** docs/rules/forgetting.md#views */
describe('A view, once someone is forgotten,', () => {
  it('is looked for among all that there are', () => {
    expect(views.map(({ name }) => name)).to.include.members(['orders', 'basket', 'customers', 'payments']);
  });

  for (const view of views) {
    const histories = historiesOf(view);
    if (histories.length === 0) continue;
    it(`holds nothing of them, and is as if filled again: ${view.name}`, () => {
      let held = 0;
      for (const history of histories) {
        for (const earlier of [0, MANY]) {
          const recorded = (events: readonly GivenEvent[]) => inLongStream(recordedEvents(events), earlier);
          const before = apply(view, recorded(history));
          if (!holdsPersonal(before)) continue;
          held++;
          const end = forgetting([...before.keys()]);
          const after = apply(view, recorded([...history, ...end]));
          const again = apply(view, recorded([...history.map(forgottenEvent), ...end]));
          const said = history.map(({ type }) => type).join(', ');
          expect(holdsPersonal(after), said).to.equal(false);
          expect(documentsIn(after), said).to.deep.equal(documentsIn(again));
        }
      }
      if (mustHold.has(view.name)) expect(held, 'histories that say something').to.be.greaterThan(0);
    });
  }
});

/** Views of people: a test that finds nothing personal in them would look at the wrong place. */
const mustHold: ReadonlySet<string> = new Set([
  'abandonedCheckouts',
  'basket',
  'customers',
  'orders',
  'order-notes',
  'payments',
]);
