import { expect } from 'chai';
import { notificationsOf, changeDetails } from '#topics/event-notifications.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { inStream, recordedEvents } from '#test/support/given.ts';

describe('An invoice with its orders (docs/guides/hooks.md#after)', () => {
  it('is reported as changed by its sale and by moves of its orders, with the part that changed', () => {
    const sold = invoice('sold');
    const events = inStream(
      sold.stream,
      sold.moved('Processing', 'order', 'ReadyToFulfill'),
      sold.confirmed(),
    );
    const changed = 'InvoiceAggregateChangedNotification';
    expect(
      recordedEvents(events).map((event) => [notificationsOf(event), changeDetails(changed, event)]),
    ).to.deep.equal([
      [
        ['OrderStatusChangedNotification', 'OrderSavedNotification', changed],
        { change: 'Updated', source: 'Order' },
      ],
      [
        [
          'InvoiceSavedNotification',
          'OrderGroupingNotification',
          'OrderCreatedNotification',
          'OrderSavedNotification',
          changed,
        ],
        { change: 'Created', source: 'Invoice' },
      ],
    ]);
  });
});
