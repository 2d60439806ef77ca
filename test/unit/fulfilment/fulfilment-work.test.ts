import { expect } from 'chai';
import { createFulfilmentWork } from '#command/contexts/fulfilment/fulfilment-work.ts';
import { warehouse } from '#entities/warehouse.entity.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import type { OrderContent } from '#events/invoice.fields.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { applyEvent } from '#reference/reference-part.ts';
import { addressOf, invoice, mugOrder } from '#test/support/builders/invoice.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { givenEvents, inStream, recordedEvents, type GivenEvent } from '#test/support/given.ts';
import { restarted, snapshotOf } from '#test/support/restart-part.ts';

const {
  FulfilmentAttemptFailed,
  FulfilmentCancellationEnded,
  FulfilmentStatusNoted,
  FulfilmentSubmissionAttempted,
  FulfilmentSubmitted,
} = invoiceEvents.create;

const MINUTE = 60_000;
const later = Date.UTC(2027, 0, 1);
const mugs = invoice('mugs');
const orderId = idNamed('order');
const east = (fulfilmentProviderConfigurationId: string | null): readonly GivenEvent[] =>
  inStream(
    `warehouse-${idNamed('east')}`,
    warehouse.events.create.WarehouseCreated({
      warehouse: {
        ...{ name: 'East', code: null, address: addressOf('East'), supplierId: null },
        ...{ fulfilmentProviderConfigurationId, serviceRegions: [], providerConfigs: [] },
      },
      at: '2026-01-01T00:00:00.000Z',
    }),
  );
const named = { orderId, configurationId: idNamed('house'), providerKey: 'generic-http' };
const at = '2026-03-01T10:00:00.000Z';
const attempted = FulfilmentSubmissionAttempted({
  ...{ ...named, key: idNamed('key'), source: 'PaymentCreated', askedAt: at },
});
const submitted = FulfilmentSubmitted({
  ...{ ...named, reference: 'R1', referenceId: idNamed('R1'), providerStatus: null },
  ...{ submittedAt: at, openSubmissions: 0 },
});
const failed = (nextAt: string | null) =>
  FulfilmentAttemptFailed({
    ...{ ...named, message: 'no', retryCount: 1, nextAt, isFinal: nextAt === null },
    ...{ failedAt: at, openSubmissions: 0 },
  });

const opening = (order: OrderContent) =>
  ({
    type: 'InvoiceEdited',
    data: {
      content: { orders: [mugOrder('order'), order] },
      orderStatuses: { [order.orderId]: 'ReadyToFulfill' },
      isOfSale: true,
      editedAt: at,
    },
  }) as unknown as DomainEvent;

const after = (...events: readonly DomainEvent[]) =>
  givenEvents(...east(named.configurationId), ...mugs.sold(), ...inStream(mugs.stream, ...events)).foldInto(
    createFulfilmentWork,
  );
const stagesOf = (work: ReturnType<typeof after>, now = later): readonly string[] =>
  work.due(now, 10).map(({ stage }) => stage);

describe('the orders that somebody else has still to send', () => {
  it('wait to be submitted once they are sold, where their warehouse has a provider', () => {
    expect(stagesOf(after())).to.deep.equal(['submit']);
    const alone = givenEvents(...east(null), ...mugs.sold()).foldInto(createFulfilmentWork);
    expect(alone.count()).to.equal(0);
    expect(snapshotOf(alone)).to.have.length(1);
  });

  it("are nobody's business while their provider is asked, and wait for their next try", () => {
    expect(stagesOf(after(attempted, mugs.moved('Processing')))).to.deep.equal([]);
    const tried = after(attempted, mugs.moved('Processing'), failed('2026-03-01T10:05:00.000Z'));
    expect(stagesOf(tried, Date.parse('2026-03-01T10:04:59.999Z'))).to.deep.equal([]);
    expect(stagesOf(tried, Date.parse('2026-03-01T10:05:00.000Z'))).to.deep.equal(['submit']);
    expect(after(attempted, failed(null)).count()).to.equal(0);
  });

  it('wait while they are on hold, and are there again afterwards', () => {
    const held = mugs.moved('OnHold');
    expect(stagesOf(after(held))).to.deep.equal([]);
    expect(stagesOf(after(held, mugs.moved('ReadyToFulfill')))).to.deep.equal(['submit']);
    const retry = [attempted, mugs.moved('Processing'), failed('2026-03-01T10:05:00.000Z'), held];
    expect(stagesOf(after(...retry))).to.deep.equal([]);
    expect(stagesOf(after(...retry, mugs.moved('Processing')))).to.deep.equal(['submit']);
  });

  it('are gone when they are cancelled or sent by hand, and their provider is told of what it has taken', () => {
    const gone = mugs.moved('Cancelled');
    expect(after(gone).count()).to.equal(0);
    expect(after(mugs.moved('Shipped')).count()).to.equal(0);
    expect(stagesOf(after(attempted, submitted, gone))).to.deep.equal(['cancel']);
    expect(stagesOf(after(attempted, gone, submitted))).to.deep.equal(['cancel']);
    const told = FulfilmentCancellationEnded({ ...named, isCancelled: true, message: null, endedAt: at });
    expect(after(attempted, submitted, gone, told).count()).to.equal(0);
    const itself = FulfilmentStatusNoted({
      ...{ ...named, providerStatus: 'cancelled', mappedStatus: 'Cancelled' },
      ...{ statusDate: null, errorMessage: null, notedAt: at },
    });
    expect(after(attempted, submitted, itself, gone).count()).to.equal(0);
  });

  it('are the same after a restart', () => {
    const tried = after(attempted, mugs.moved('Processing'), failed('2026-03-01T10:05:00.000Z'));
    const again = restarted(createFulfilmentWork(), tried);
    expect(again.due(later, 10)).to.deep.equal(tried.due(later, 10));
    expect(snapshotOf(again)).to.deep.equal(snapshotOf(tried));
  });

  it('wait to be submitted where an edit has opened them', () => {
    const idsOf = (work: ReturnType<typeof after>) => work.due(later, 10).map((order) => order.orderId);
    const other = mugOrder('other');
    expect(idsOf(after(attempted, submitted, opening(other)))).to.deep.equal([other.orderId]);
    const elsewhere = { ...other, warehouseId: idNamed('west') };
    expect(idsOf(after(attempted, submitted, opening(elsewhere)))).to.deep.equal([]);
  });

  it('are put off for longer each time nothing came of a look, until a warehouse has another provider', () => {
    const work = after();
    work.putOff(orderId, later);
    expect(stagesOf(work)).to.deep.equal([]);
    expect(stagesOf(work, later + MINUTE)).to.deep.equal(['submit']);
    for (let look = 0; look < 10; look++) work.putOff(orderId, later);
    expect(stagesOf(work, later + 15 * MINUTE)).to.deep.equal([]);
    expect(stagesOf(work, later + 16 * MINUTE)).to.deep.equal(['submit']);
    for (const event of recordedEvents(east(idNamed('other house')))) applyEvent(work, event);
    expect(stagesOf(work)).to.deep.equal(['submit']);
  });
});
