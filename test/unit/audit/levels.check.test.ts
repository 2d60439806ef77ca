import { expect } from 'chai';
import { discountUsageEvents } from '#events/discount-usage.events.ts';
import { inventoryEvents } from '#events/inventory.events.ts';
import { stockCheck } from '#projection/contexts/audit/verification/stock.check.ts';
import { usesCheck } from '#projection/contexts/audit/verification/uses.check.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { holder, opened, reserved, row } from '#test/support/builders/stock.ts';
import { foundBy, foundInLog } from '#test/support/found-by-check.ts';
import { recordedEvents, type GivenEvent } from '#test/support/given.ts';

const {
  AllocationReversed,
  ReservationEdited,
  StockAdjusted,
  StockAllocated,
  StockReleased,
  StockRowRemoved,
} = inventoryEvents.create;
const { DiscountUseClaimed, DiscountUseReleased, DiscountUseSettled, DiscountUsesTakenOver } =
  discountUsageEvents.create;

const inStock = (events: readonly GivenEvent[], stream = 'stock-east'): readonly GivenEvent[] =>
  events.map((event) => ({ ...event, stream }));

const ada = holder('ada', 'first');
const shipment = { ...row, ...ada, shipmentId: idNamed('parcel') };

/** Ten mugs: two are reserved and shipped, come back, and are written off. */
const mugs = () =>
  inStock([
    opened(10),
    reserved(ada, 2, 10),
    StockAllocated({ ...shipment, quantity: 2, held: 2, stock: 8, reserved: 0 }),
    AllocationReversed({ ...shipment, quantity: 2, isOwed: true, stock: 10, reserved: 2 }),
    ReservationEdited({
      ...{ ...row, ...ada, editId: idNamed('edit') },
      ...{ taken: 0, released: 1, destroyed: 1, quantity: 0, stock: 10, reserved: 0 },
    }),
    StockAdjusted({ ...row, adjustedBy: -1, reason: 'edit_return', stock: 9, reserved: 0 }),
    StockAdjusted({ ...row, adjustedBy: -9, reason: 'row_removed', stock: 0, reserved: 0 }),
    StockRowRemoved({ ...row, stock: 0, reserved: 0 }),
    opened(4),
    reserved(ada, 3, 4),
    StockReleased({ ...row, ...ada, quantity: 3, stock: 4, reserved: 0 }),
  ]);

/** The events with one figure of one of them changed. */
const tampered = (events: readonly GivenEvent[], at: number, changes: object) =>
  events.map((event, index) =>
    index === at ? { ...event, data: { ...(event.data as object), ...changes } } : event,
  ) as readonly GivenEvent[];

/** docs/rules/proof.md#what-adds-up */
describe('The check of stock', () => {
  it('finds nothing in what the rules of stock write', () => {
    expect(foundBy(stockCheck, mugs())).to.deep.equal([]);
    expect(foundBy(stockCheck, inStock(mugs(), 'stock-west').concat(mugs()))).to.deep.equal([]);
  });

  it('names the event whose figure was changed, and what it should say', () => {
    expect(foundBy(stockCheck, tampered(mugs(), 2, { stock: 80 }))).to.deep.equal([
      {
        ...{ position: 3, stream: 'stock-east', revision: 2 },
        found: 'StockAllocated says stock 80, 0 reserved',
        expected: 'stock 8, 0 reserved, as the events of the stream add up',
      },
    ]);
  });

  it('tells one damage once: a change that was doubled, an event that is missing, a figure that is none', () => {
    expect(foundBy(stockCheck, tampered(mugs(), 1, { change: 4 }))).to.have.length(1);
    expect(foundBy(stockCheck, tampered(mugs(), 3, { stock: 'ten', quantity: null }))).to.have.length(1);
    const missing = recordedEvents(mugs()).filter(({ position }) => position !== 3);
    expect(foundInLog(stockCheck, missing).map(({ position }) => position)).to.deep.equal([4]);
  });

  it('does not stumble over data that is no data', () => {
    const nothing = recordedEvents(mugs()).map((event, index) =>
      index === 1 ? { ...event, data: null } : event,
    );
    expect(foundInLog(stockCheck, nothing)).to.have.length(1);
  });
});

const discountId = idNamed('tenth');
const use = (basket: string, uses: number) => ({ discountId, ...holder(basket, basket), uses });
const claimed = (basket: string, uses: number) =>
  DiscountUseClaimed({ ...use(basket, uses), customerId: idNamed(basket), amount: 100 });

const uses = (): readonly GivenEvent[] =>
  [
    claimed('ada', 1),
    claimed('bob', 2),
    // Ada orders again: her use is taken over.
    claimed('ada', 2),
    DiscountUseSettled(use('ada', 2)),
    DiscountUseReleased(use('bob', 1)),
    // Noted only: nothing is held.
    DiscountUseReleased(use('bob', 1)),
    DiscountUsesTakenOver({
      ...{ discountId, through: 9, perCustomer: false, settled: 2, uses: 4 },
      open: [{ basketId: idNamed('cyd'), placementId: idNamed('cyd') }],
    }),
    DiscountUseReleased(use('cyd', 3)),
    // Of a sale, long after.
    DiscountUseReleased(use('ada', 2)),
  ].map((event) => ({ ...event, stream: `discountUsage-${discountId}` }));

describe('The check of discount uses', () => {
  it('finds nothing in what the rules of use write', () => {
    expect(foundBy(usesCheck, uses())).to.deep.equal([]);
  });

  it('names the event whose counter was changed, and what it should say', () => {
    expect(foundBy(usesCheck, tampered(uses(), 1, { uses: 1 }))).to.deep.equal([
      {
        ...{ position: 2, stream: `discountUsage-${discountId}`, revision: 1 },
        found: 'DiscountUseClaimed says 1 uses',
        expected: '2 uses, as the events of the stream add up',
      },
    ]);
  });

  it('finds a use that was claimed twice, and one that is missing', () => {
    const [first, ...rest] = recordedEvents(uses());
    if (!first) throw new Error('there are uses');
    expect(foundInLog(usesCheck, rest).map(({ position }) => position)).to.deep.equal([2]);
    const doubled = recordedEvents(
      [...uses(), claimed('ada', 4)].map((event) => ({ ...event, stream: 'u-1' })),
    );
    expect(foundInLog(usesCheck, doubled).map(({ position }) => position)).to.deep.equal([10]);
  });
});
