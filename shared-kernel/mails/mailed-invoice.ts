import type { InvoiceContent } from '#events/invoice.fields.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { DownloadLink } from '#events/download.shapes.ts';
import type { Recorded } from '#kernel/event.ts';
import type { Address } from '#values/address.ts';
import { correctedEmail } from '#values/corrected-email.ts';
import type { ShipmentStatus } from '#values/shipment-transitions.ts';
import { idOf } from '#values/stream-name.ts';

type InvoiceBalance = Extract<InvoiceEvent, { readonly type: 'InvoiceCreated' }>['data']['balance'];

export interface MailedShipment {
  readonly id: string;
  readonly orderId: string;
  readonly status: ShipmentStatus;
  readonly lines: readonly { readonly lineId: string; readonly quantity: number }[];
  readonly carrier: string | null;
  readonly trackingNumber: string | null;
  readonly trackingUrl: string | null;
}

/** An invoice, as far as mails tell of it. What is personal is null once its customer is forgotten. */
export interface MailedInvoice {
  readonly id: string;
  readonly invoiceNumber: string;
  readonly content: InvoiceContent;
  readonly balance: InvoiceBalance;
  readonly email: string | null;
  readonly customerName: string | null;
  readonly billingAddress: Address | null;
  readonly shippingAddress: Address | null;
  readonly purchaseOrderNumber: string | null;
  readonly dueDate: string | null;
  readonly shipments: ReadonlyMap<string, MailedShipment>;
  /** Of the last event that made any; what was made again stands for all there was. */
  readonly links: readonly DownloadLink[];
  /** Orders that are not to be sent any more. */
  readonly cancelledOrderIds: ReadonlySet<string>;
}

type Known = MailedInvoice;

const withShipment = (
  invoice: Known,
  { shipmentId: id, ...changes }: { readonly shipmentId: string } & Partial<MailedShipment>,
): Known => {
  const before = invoice.shipments.get(id);
  const { orderId = '', status = 'Preparing', lines = [], carrier = null } = { ...before, ...changes };
  const { trackingNumber = null, trackingUrl = null } = { ...before, ...changes };
  const shipment = { id, orderId, status, lines, carrier, trackingNumber, trackingUrl };
  return { ...invoice, shipments: new Map(invoice.shipments).set(id, shipment) };
};

const created = ({
  stream,
  data,
}: Recorded<Extract<InvoiceEvent, { readonly type: 'InvoiceCreated' }>>): Known => ({
  id: idOf(stream),
  invoiceNumber: data.invoiceNumber,
  content: data.content,
  balance: data.balance,
  email: data.email,
  customerName: data.billingAddress?.name ?? null,
  billingAddress: data.billingAddress,
  shippingAddress: data.shippingAddress,
  purchaseOrderNumber: null,
  dueDate: data.content.accountTerms?.dueDate ?? null,
  shipments: new Map(),
  links: [],
  cancelledOrderIds: new Set(),
});

const changed = (invoice: Known, event: Recorded<InvoiceEvent>): Known => {
  switch (event.type) {
    case 'BillingAddressChanged':
      return {
        ...invoice,
        billingAddress: event.data.address,
        email: correctedEmail(invoice.email, invoice.billingAddress, event.data.address),
        customerName: event.data.address?.name ?? null,
      };
    case 'ShippingAddressChanged':
      return { ...invoice, shippingAddress: event.data.address };
    case 'PurchaseOrderNumberChanged':
      return { ...invoice, purchaseOrderNumber: event.data.purchaseOrderNumber };
    case 'PurchaseOrderAccepted':
      return {
        ...invoice,
        purchaseOrderNumber: event.data.purchaseOrderNumber,
        dueDate: event.data.dueDate,
      };
    case 'InvoiceEdited':
    case 'SaleConfirmed':
      return { ...invoice, content: event.data.content };
    case 'OrderStatusChanged':
      return event.data.to === 'Cancelled'
        ? { ...invoice, cancelledOrderIds: new Set(invoice.cancelledOrderIds).add(event.data.orderId) }
        : invoice;
    case 'ShipmentCreated':
      return withShipment(invoice, { ...event.data, status: 'Preparing' });
    case 'ShipmentChanged':
      return withShipment(invoice, event.data);
    case 'ShipmentStatusChanged':
      return withShipment(invoice, { ...event.data, status: event.data.to });
    case 'DownloadLinksCreated':
      return { ...invoice, links: event.data.links };
    default:
      return invoice;
  }
};

/** An invoice after the first events of its stream; null where they do not create it. */
export const mailedInvoice = (events: readonly Recorded<InvoiceEvent>[]): MailedInvoice | null => {
  let invoice: Known | null = null;
  for (const event of events) {
    if (event.type === 'InvoiceCreated') invoice = created(event);
    else if (invoice !== null) {
      invoice = changed(invoice, event);
      // Whatever moves money says what it comes to.
      if ('balance' in event.data) invoice = { ...invoice, balance: event.data.balance };
    }
  }
  return invoice;
};
