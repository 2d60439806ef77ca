import { expect } from 'chai';
import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { inventoryEvents } from '#events/inventory.events.ts';
import type { Recorded } from '#kernel/event.ts';
import {
  configurationEventTypes,
  configurationsOf,
  evolveConfigurations,
  noConfigurations,
} from '#mails/configurations.ts';
import { defaultMailConfigurations } from '#mails/default-configurations.ts';
import { mailEvents } from '#events/mail.events.ts';
import { mailedEventTypes } from '#mails/mail-topics.ts';
import { mailMessagesOf } from '#test/support/mail-messages.ts';
import { mailedInvoice } from '#mails/mailed-invoice.ts';
import { streamOf } from '#values/stream-name.ts';
import { registered } from '#test/support/builders/customer.ts';
import { idNamed } from '../../support/builders/basket.ts';
import { addressOf, invoice, mugOrder } from '../../support/builders/invoice.ts';
import { inStream, recordedEvents, type GivenEvent } from '../../support/given.ts';

const factsOf = (events: readonly Recorded[]) => ({
  invoice: mailedInvoice(events as readonly Recorded<InvoiceEvent>[]),
  downloadUrlOf: ({ fileId }: { readonly fileId: string }) => `https://shop.example.com/${fileId}`,
  recoveryLinkOf: ({ recordId, issue }: { readonly recordId: string; readonly issue: number }) =>
    `https://shop.example.com/recover/${recordId}.${issue}`,
  unsubscribeLinkOf: (email: string) => `https://shop.example.com/unsubscribe/${email}`,
  timeZone: 'Europe/London',
});

/** What mails say of the last of some events. */
const told = (...events: readonly GivenEvent[]) => {
  const recorded = recordedEvents(events);
  const last = recorded.at(-1) ?? expect.fail('no event');
  return mailMessagesOf(last, factsOf(recorded));
};

const { ShipmentCreated, ShipmentStatusChanged, PaymentRefunded, DownloadLinksCreated, InvoiceReminded } =
  invoiceEvents.create;
const at = '2026-03-02T23:30:00.000Z';

/** docs/rules/mails.md#topics */
describe('what mails tell of an event', () => {
  const sold = invoice('sold');
  const packed = (name: string, quantity: number) =>
    ShipmentCreated({
      shipmentId: idNamed(name),
      orderId: idNamed('order'),
      warehouseId: null,
      lines: [{ lineId: idNamed('line order'), quantity }],
      carrier: 'Royal Mail',
      trackingNumber: 'AB1',
      trackingUrl: null,
      providerShipmentId: null,
      by: 'mary',
      createdAt: at,
    });

  it('a sale is one mail with its lines, totals and addresses', () => {
    const messages = told(...sold.sold());
    expect(messages.map(({ topic }) => topic)).to.deep.equal(['order.created', 'invoice.created']);
    const [order] = messages;
    expect(order).to.include({ entityType: 'Order', entityId: idNamed('order') });
    expect(order?.notification).to.deep.include({
      invoiceNumber: 'INV-0001',
      customerEmail: 'ada@example.com',
      customerName: 'Ada Lovelace',
      orderDate: '1 March 2026',
      formattedSubTotal: '£20.00',
      formattedDiscount: '-£2.00',
      formattedShipping: '£4.00',
      formattedTax: '£4.40',
      formattedTotal: '£26.40',
      total: 26.4,
      formattedBalanceDue: null,
      shippingMethods: ['Parcel'],
      upsells: [],
    });
    expect(order).to.have.nested.property('notification.lines[0].options', 'Colour: Blue');
    expect(order?.notification)
      .to.have.nested.property('shippingAddress.lines')
      .that.deep.equals(['Ada Lovelace', '12 St James Square', 'London SW1Y 4JH', 'United Kingdom']);
  });

  it('a forgotten customer has neither name nor address', () => {
    const [order] = told(...invoice('forgotten', { customer: null, email: null }).sold());
    expect(order?.notification).to.include({
      customerEmail: null,
      customerName: null,
      billingAddress: null,
      shippingAddress: null,
    });
  });

  it('a payment is told of, and the last one leaves nothing to be paid', () => {
    const topics = (amount: number) =>
      told(...inStream(sold.stream, sold.placed, sold.captured(amount))).map(({ topic }) => topic);
    expect(topics(1000)).to.deep.equal(['payment.created']);
    expect(topics(2640)).to.deep.equal(['invoice.paid', 'payment.created']);
  });

  it('a parcel is told of with what is in it, and whether more follows', () => {
    const first = told(...sold.sold(), ...inStream(sold.stream, packed('one', 1)));
    expect(first.map(({ topic }) => topic)).to.deep.equal(['shipment.created', 'shipment.preparing']);
    expect(first[0]?.notification).to.include({
      isPartial: true,
      carrier: 'Royal Mail',
      status: 'Preparing',
    });
    expect(first[0]).to.have.nested.property('notification.shippedLines[0].quantity', 1);
    expect(first[0]).to.have.nested.property('notification.shippedLines[0].formattedLineTotal', '£10.00');
    const shipped = ShipmentStatusChanged({
      shipmentId: idNamed('two'),
      orderId: idNamed('order'),
      from: 'Preparing',
      to: 'Shipped',
      carrier: 'Royal Mail',
      trackingNumber: 'AB2',
      trackingUrl: 'https://tracking.example.com/AB2',
      createdAt: at,
      at,
      day: '2026-03-02',
    });
    const last = told(...sold.sold(), ...inStream(sold.stream, packed('one', 1), packed('two', 1), shipped));
    expect(last.map(({ topic }) => topic)).to.deep.equal(['shipment.shipped']);
    expect(last[0]).to.include({ entityType: 'Shipment', entityId: idNamed('two') });
    expect(last[0]?.notification).to.include({
      isPartial: false,
      trackingNumber: 'AB2',
      trackingUrl: 'https://tracking.example.com/AB2',
      status: 'Shipped',
    });
  });

  it('a parcel is the last one where the other order of its sale was cancelled', () => {
    const two = invoice('sold', { content: { orders: [mugOrder('order'), mugOrder('other')] } });
    const sentOf = (...events: readonly InvoiceEvent[]) =>
      told(...two.sold(), ...inStream(two.stream, ...events, packed('one', 2)))[0]?.notification;
    expect(sentOf()).to.include({ isPartial: true });
    const cancelled = two.moved('Cancelled', 'other');
    expect(sentOf(cancelled)).to.include({ isPartial: false });
  });

  it('a refund says how much and why', () => {
    const refunded = PaymentRefunded({
      ...sold.invoiceName,
      refundId: idNamed('refund'),
      paymentId: idNamed('payment'),
      provider: 'manual',
      amount: 1200,
      amountInStoreCurrency: 1200,
      currency: 'GBP',
      by: 'mary',
      paymentType: 'PartialRefund',
      transactionId: 'r1',
      reason: 'Damaged in transit',
      givenBack: 1200,
      givenBackInStoreCurrency: 1200,
      balance: { ...sold.captured().data.balance, amountRefunded: 1200 },
      refundedAt: at,
      openRefunds: 0,
    });
    const messages = told(...sold.sold(), ...inStream(sold.stream, refunded));
    expect(messages.map(({ topic }) => topic)).to.deep.equal(['invoice.refunded', 'payment.refunded']);
    expect(messages[0]?.notification).to.include({
      formattedRefundAmount: '£12.00',
      refundReason: 'Damaged in transit',
      customerEmail: 'ada@example.com',
    });
  });

  it('files are told of with their links and limits', () => {
    const link = {
      linkId: idNamed('link'),
      lineId: idNamed('line order'),
      fileId: 'patterns/hat.pdf',
      productName: 'Hat',
      isInstant: true,
      expiresAt: '2026-03-31T23:30:00.000Z',
      maxDownloads: 1,
    };
    const made = DownloadLinksCreated({
      ...sold.invoiceName,
      customerId: idNamed('ada'),
      email: 'ada@example.com',
      links: [link, { ...link, linkId: idNamed('other'), expiresAt: null, maxDownloads: 0 }],
      createdAt: at,
    });
    const [message] = told(...sold.sold(), ...inStream(sold.stream, made));
    expect(message?.topic).to.equal('digital.delivered');
    expect(message).to.have.nested.property('notification.downloadLinks[0]').that.includes({
      productName: 'Hat',
      fileName: 'hat.pdf',
      downloadUrl: 'https://shop.example.com/patterns/hat.pdf',
      // An hour later in London, where it is summer by then.
      limits: 'once, until 1 April 2026',
    });
    expect(message).to.have.nested.property('notification.downloadLinks[1].limits', null);
  });

  it('an invoice that is owed is told of before and after it is due', () => {
    const reminder = { ...sold.invoiceName, number: 1, dayDue: '2026-03-31', remindedDay: '2026-03-24' };
    const said = (kind: 'dueSoon' | 'overdue', days: number) =>
      told(
        ...inStream(sold.stream, sold.placed, InvoiceReminded({ ...reminder, kind, days, remindedAt: at })),
      );
    expect(said('dueSoon', 7)).to.have.nested.property('[0].notification.when', 'in 7 days');
    expect(said('dueSoon', 0)).to.have.nested.property('[0].notification.when', 'today');
    const [overdue, ...others] = said('overdue', 1);
    expect(others).to.deep.equal([]);
    expect(overdue?.topic).to.equal('invoice.overdue');
    expect(overdue?.notification).to.include({
      when: '1 day ago',
      dayDue: '31 March 2026',
      formattedBalanceDue: '£26.40',
    });
  });

  it('a changed address is the one that later mails name', () => {
    const { BillingAddressChanged } = invoiceEvents.create;
    const change = { ...sold.invoiceName, address: addressOf('Grace Hopper'), by: 'mary', changedAt: at };
    const [message] = told(
      ...sold.sold(),
      ...inStream(sold.stream, BillingAddressChanged(change), packed('one', 2)),
    );
    expect(message?.notification).to.include({ customerName: 'Grace Hopper' });
  });

  it('a corrected e-mail address is where later mails go, and another street changes none', () => {
    const { BillingAddressChanged } = invoiceEvents.create;
    const changed = (address: object) =>
      BillingAddressChanged({
        ...sold.invoiceName,
        ...{ address: { ...addressOf('Grace Hopper'), ...address }, by: 'mary', changedAt: at },
      });
    const emailAfter = (...changes: readonly ReturnType<typeof changed>[]) => {
      const [message] = told(...sold.sold(), ...inStream(sold.stream, ...changes, packed('one', 2)));
      return (message?.notification as { readonly customerEmail: string }).customerEmail;
    };
    const before = emailAfter();
    expect(emailAfter(changed({ email: null, addressOne: '2 Hill Road' }))).to.equal(before);
    const corrected = changed({ email: 'grace@example.com' });
    expect(emailAfter(corrected)).to.equal('grace@example.com');
    expect(emailAfter(corrected, changed({ email: null }))).to.equal('grace@example.com');
  });

  it('customers and stock are told of by their own events', () => {
    const [customer] = told(registered());
    expect(customer).to.include({ topic: 'customer.created', entityType: 'Customer' });
    const low = inventoryEvents.create.StockRanLow({
      productId: idNamed('mug'),
      warehouseId: idNamed('east'),
      sku: 'MUG',
      threshold: 5,
      stock: 3,
      reserved: 0,
    });
    expect(told(low)[0]?.notification).to.include({ sku: 'MUG', currentStock: 3, threshold: 5 });
  });

  it('events that no mail is about say nothing', () => {
    expect(mailedEventTypes.has('BasketStarted')).to.equal(false);
    expect(mailedEventTypes.get('SaleConfirmed')).to.deep.equal(['order.created', 'invoice.created']);
    expect(told(sold.placed)).to.deep.equal([]);
  });
});

/** docs/rules/mails.md#shipped-mails */
describe('the mails of a shop', () => {
  const { MailConfigurationCreated, MailConfigurationChanged, MailConfigurationDeleted } = mailEvents.create;
  const [first, second] = defaultMailConfigurations;
  const idOfFirst = first?.id ?? '';
  const settings = {
    name: 'Thanks',
    topic: 'order.created',
    isEnabled: true,
    templatePath: 'order-confirmation',
    toExpression: '{{customerEmail}}',
    ccExpression: null,
    bccExpression: null,
    fromExpression: null,
    subjectExpression: 'Thanks',
    description: null,
    attachmentAliases: [],
    at,
  };
  const stream = (id: string): string => streamOf.mailConfiguration(id);
  const namesAfter = (...events: readonly GivenEvent[]) =>
    configurationsOf(recordedEvents(events).reduce(evolveConfigurations, noConfigurations)).map(
      ({ id, name }) => (id === idOfFirst ? `first: ${name}` : name),
    );
  const untouched = defaultMailConfigurations.slice(1).map(({ name }) => name);

  it('are those that are shipped until something is recorded', () => {
    expect(namesAfter()).to.deep.equal([`first: ${first?.name}`, ...untouched]);
  });

  it('are changed where they stand, and made after those that are shipped', () => {
    expect(
      namesAfter(
        ...inStream(stream(idNamed('own')), MailConfigurationCreated({ ...settings, name: 'Own' })),
        ...inStream(stream(idOfFirst), MailConfigurationChanged(settings)),
      ),
    ).to.deep.equal(['first: Thanks', ...untouched, 'Own']);
  });

  it('stay deleted, and come back by no change of before', () => {
    expect(
      namesAfter(
        ...inStream(stream(idOfFirst), MailConfigurationChanged(settings), MailConfigurationDeleted({ at })),
        ...inStream(stream(second?.id ?? ''), MailConfigurationDeleted({ at })),
      ),
    ).to.deep.equal(untouched.slice(1));
    expect(configurationEventTypes).to.have.length(3);
  });
});
