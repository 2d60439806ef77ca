import { expect } from 'chai';
import fc from 'fast-check';
import { stockId } from '#values/stock-id.ts';
import { isKnown } from '#command/contexts/invoices/invoice.state.ts';
import { leftToShip } from '#command/contexts/invoices/fulfilment/shipments.state.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { moveOrder, pack, removeShipment, setShipment } from '#test/support/builders/shipment.ts';
import { OTHERS, SoldGoods, STOCK } from '#test/support/sold-goods.ts';

const order = fc.constantFrom('order', 'other');
const name = fc.integer({ min: 0, max: 4 }).map((number) => `shipment ${number}`);
const step = fc.oneof(
  fc.record({ do: fc.constant('pack' as const), name, order, units: fc.integer({ min: 1, max: 2 }) }),
  fc.record({
    do: fc.constant('set' as const),
    name,
    to: fc.constantFrom('Shipped', 'Delivered', 'Cancelled'),
  }),
  fc.record({ do: fc.constant('delete' as const), name }),
  fc.record({
    do: fc.constant('move' as const),
    order,
    to: fc.constantFrom('Shipped', 'Completed', 'Cancelled', 'OnHold'),
  }),
  fc.record({ do: fc.constant('follow' as const), isKilled: fc.boolean() }),
  fc.record({ do: fc.constant('cancel' as const) }),
);

describe('shipments', () => {
  it('leave stock and reservations as their streams say, whatever is packed, undone, cancelled and killed', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const house = new SoldGoods();
        for (const one of steps) {
          if (one.do === 'pack') house.ask(pack(one.name, one.units, one.order));
          else if (one.do === 'set') house.ask(setShipment(one.name, one.to as 'Shipped'));
          else if (one.do === 'delete') house.ask(removeShipment(one.name));
          else if (one.do === 'move') house.ask(moveOrder(one.to as 'Shipped', one.order));
          else if (one.do === 'cancel') house.cancel();
          else await house.follow(one.isKilled);
          for (const row of house.rows.values()) {
            if (row.status !== 'open') throw new Error('the row is open');
            expect(row.reserved).to.be.within(OTHERS, row.stock);
          }
        }
        while (await house.follow(false));
        const { invoice: state } = house;
        if (!isKnown(state)) throw new Error('the invoice is there');
        if (state.status !== 'open') house.clear();
        for (const { orderId, warehouseId } of state.content.orders) {
          const row = house.rows.get(stockId(idNamed('mug'), warehouseId ?? ''));
          if (row?.status !== 'open') throw new Error('the row is open');
          const sent = state.shipments
            .filter((shipment) => shipment.orderId === orderId && shipment.status !== 'Cancelled')
            .flatMap(({ lines }) => lines)
            .reduce((sum, { quantity }) => sum + quantity, 0);
          const isOver = state.status !== 'open' || state.orderStatuses[orderId] === 'Cancelled';
          const owed = isOver ? 0 : (leftToShip(state, orderId)[0]?.quantity ?? 0);
          expect([row.stock, row.reserved]).to.deep.equal([STOCK - sent, OTHERS + owed]);
        }
      }),
      { numRuns: 400 },
    ));
});
