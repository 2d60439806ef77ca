import type { ShipmentCommand } from '#command/contexts/invoices/fulfilment/shipment.commands.ts';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import type { OrderStatus } from '#events/invoice.fields.ts';
import { decidedAt, invoice } from '#test/support/builders/invoice.ts';
import { moveOrder, pack, setShipment } from '#test/support/builders/shipment.ts';
import { given, inContext } from '#test/support/given.ts';

const mugs = invoice('mugs');
const paid = mugs.captured();
const decider = inContext(invoiceDecider, decidedAt('2026-03-02T09:00:00.000Z'));
const sold = given(decider, [mugs.placed, paid, mugs.moved('ReadyToFulfill'), mugs.confirmed()]);
const says = (status: OrderStatus): ShipmentCommand => {
  const said = { providerStatus: status, mappedStatus: status, statusDate: null, errorMessage: null };
  return { ...moveOrder(status), said, by: 'generic-http' } as ShipmentCommand;
};
const sends = (name: string): ShipmentCommand =>
  ({ ...setShipment(name, 'Shipped'), isByProvider: true }) as ShipmentCommand;
const movedTo = (to: OrderStatus) => ['OrderStatusChanged', { from: 'OnHold', to }] as const;

describe('an order on hold (docs/rules/fulfilment.md#holds)', () => {
  const byStaff = sold.after(moveOrder('OnHold'));
  const byProvider = sold.after(says('OnHold'));

  it('for its provider goes on once that says so', () => {
    byProvider.when(says('Processing')).thenLike(movedTo('Processing'));
  });

  it('by staff is not let go by its provider', () => {
    byStaff.when(says('Processing')).thenRefused('status-not-possible', { from: 'OnHold' });
  });

  it('by staff stays on hold when its provider has held it before, or holds it too', () => {
    sold
      .after(says('OnHold'), says('Processing'), moveOrder('OnHold'))
      .when(says('Processing'))
      .thenRefused('status-not-possible');
    byStaff.after(says('OnHold')).when(says('Processing')).thenRefused('status-not-possible');
  });

  it('for its provider is on hold for staff once they say so, too', () => {
    byProvider.when(moveOrder('OnHold')).thenLike(['OrderHoldTakenOver', { by: 'mary' }]);
    byProvider.after(moveOrder('OnHold')).when(says('Processing')).thenRefused('status-not-possible');
    byProvider.when(says('OnHold')).thenNothing();
  });

  it('that is disputed as well is not let go by its provider', () => {
    const { paymentId } = paid.data;
    const about = { provider: 'sandbox', paymentId, disputeId: 'dp_1', amount: null, reason: null };
    const dispute = { type: 'OpenDispute', ...about } as const;
    byProvider.after(dispute).when(says('Processing')).thenRefused('status-not-possible');
  });

  it('keeps its rest on hold when a part of it has left, and is over with the whole', () => {
    byStaff
      .after(pack('part', 1))
      .when(sends('part'))
      .thenLike(['ShipmentStatusChanged', { to: 'Shipped' }]);
    byStaff.after(pack('all', 2)).when(sends('all')).thenLike(['ShipmentStatusChanged'], movedTo('Shipped'));
    byProvider
      .after(pack('part', 1))
      .when(sends('part'))
      .thenLike(['ShipmentStatusChanged'], movedTo('PartiallyShipped'));
    byStaff
      .after(pack('part', 1))
      .when(setShipment('part', 'Shipped'))
      .thenLike(['ShipmentStatusChanged'], movedTo('PartiallyShipped'));
  });

  it('by staff has left all the same where its provider says that it has', () => {
    byStaff
      .when(says('Shipped'))
      .thenLike(['ShipmentCreated'], ['ShipmentStatusChanged'], movedTo('Shipped'));
  });
});
