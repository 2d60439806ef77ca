import { sampleId, sampleOrder } from '#topics/samples.ts';
import type { ShipmentStatus } from '#values/shipment-transitions.ts';
import { mailTopic, type MailFacts, type MailMessage } from './mail-topic.ts';
import type { MailedInvoice } from './mailed-invoice.ts';
import { aboutInvoice } from './order.mails.ts';
import { mailedLine, type MailedLine, type OrderNotification } from './order-notification.ts';
import { sampleOrderNotification } from './order-sample.ts';

interface ShipmentNotification extends OrderNotification {
  readonly shipmentId: string;
  readonly orderId: string;
  readonly status: string;
  readonly carrier: string | null;
  readonly trackingNumber: string | null;
  readonly trackingUrl: string | null;
  /** What is in the parcel. */
  readonly shippedLines: readonly MailedLine[];
  /** The invoice has goods that are in no parcel yet. */
  readonly isPartial: boolean;
}

const sample = (status: ShipmentStatus): ShipmentNotification => ({
  ...sampleOrderNotification,
  shipmentId: sampleId('shipment'),
  orderId: sampleOrder.id,
  status,
  carrier: 'Royal Mail',
  trackingNumber: 'AB123456789GB',
  trackingUrl: 'https://tracking.example.com/AB123456789GB',
  shippedLines: sampleOrderNotification.lines,
  isPartial: false,
});

const unitsOf = (lines: readonly { readonly quantity: number }[]): number =>
  lines.reduce((sum, { quantity }) => sum + quantity, 0);

/** Whether goods are in no parcel yet; what was cancelled never will be. */
const moreFollows = ({ content, shipments, cancelledOrderIds }: MailedInvoice): boolean => {
  const isSent = ({ orderId }: { readonly orderId: string }): boolean => !cancelledOrderIds.has(orderId);
  const goods = content.orders
    .filter(isSent)
    .flatMap(({ lines }) => lines)
    .filter(({ isDigital }) => !isDigital);
  const packed = [...shipments.values()]
    .filter((shipment) => isSent(shipment) && shipment.status !== 'Cancelled')
    .flatMap(({ lines }) => lines);
  return unitsOf(packed) < unitsOf(goods);
};

const told = (shipmentId: string, facts: MailFacts): MailMessage<ShipmentNotification> | null => {
  const shipment = facts.invoice?.shipments.get(shipmentId);
  if (!facts.invoice || !shipment) return null;
  const { content } = facts.invoice;
  const byId = new Map(content.orders.flatMap(({ lines }) => lines.map((line) => [line.id, line])));
  const { orderId, status, carrier, trackingNumber, trackingUrl } = shipment;
  const shippedLines = shipment.lines.flatMap(({ lineId, quantity }) => {
    const line = byId.get(lineId);
    return line ? [mailedLine(line, content.currency, quantity)] : [];
  });
  const tracking = { carrier, trackingNumber, trackingUrl };
  return aboutInvoice(
    facts,
    { shipmentId, orderId, status, ...tracking, shippedLines, isPartial: moreFollows(facts.invoice) },
    { entityType: 'Shipment', entityId: shipmentId },
  );
};

/** A shipment that comes to stand at a status. */
const movedTo = (status: ShipmentStatus, displayName: string, description: string) =>
  mailTopic<ShipmentNotification>({
    displayName,
    description,
    sample: sample(status),
    on: {
      ShipmentStatusChanged: ({ data: { shipmentId, to } }, facts) =>
        to === status ? told(shipmentId, facts) : null,
      ...(status === 'Preparing' && {
        ShipmentCreated: ({ data }: { readonly data: { readonly shipmentId: string } }, facts: MailFacts) =>
          told(data.shipmentId, facts),
      }),
    },
  });

export const shipmentMails = {
  'shipment.created': mailTopic<ShipmentNotification>({
    displayName: 'Shipment Created',
    description: 'A shipment of an order is created.',
    sample: sample('Preparing'),
    on: { ShipmentCreated: ({ data }, facts) => told(data.shipmentId, facts) },
  }),
  'shipment.updated': mailTopic<ShipmentNotification>({
    displayName: 'Shipment Updated',
    description: 'The tracking of a shipment has changed.',
    sample: sample('Shipped'),
    on: { ShipmentChanged: ({ data }, facts) => told(data.shipmentId, facts) },
  }),
  'shipment.preparing': movedTo('Preparing', 'Shipment Preparing', 'A parcel is being packed.'),
  'shipment.shipped': movedTo('Shipped', 'Shipment Shipped', 'A parcel is on its way.'),
  'shipment.delivered': movedTo('Delivered', 'Shipment Delivered', 'A parcel has arrived.'),
  'shipment.cancelled': movedTo('Cancelled', 'Shipment Cancelled', 'A parcel will not be sent.'),
};
