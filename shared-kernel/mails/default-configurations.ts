import { derivedId } from '#kernel/ids.ts';
import type { MailConfiguration, MailSettings } from './mail-configuration.ts';

type Shipped = Pick<MailSettings, 'topic' | 'name' | 'description' | 'templatePath' | 'subjectExpression'> &
  Partial<Pick<MailSettings, 'isEnabled' | 'toExpression'>>;

/** By the topic, so that a release that words one differently still means the same. */
const shipped = ({ topic, ...given }: Shipped): MailConfiguration => ({
  id: derivedId('shipped mail', topic),
  topic,
  isEnabled: true,
  toExpression: '{{customerEmail}}',
  ccExpression: null,
  bccExpression: null,
  fromExpression: null,
  attachmentAliases: [],
  ...given,
  isDefault: true,
  dateCreated: null,
  dateUpdated: null,
});

/**
 * The mails that a shop sends until staff decide otherwise (docs/rules/mails.md#shipped-mails). No event makes them:
 * the first change of one records it whole.
 */
export const defaultMailConfigurations: readonly MailConfiguration[] = [
  shipped({
    topic: 'order.created',
    name: 'Order confirmation',
    description: 'Thanks the buyer for an order and lists what was bought.',
    templatePath: 'order-confirmation',
    subjectExpression: 'Your order {{invoiceNumber}} at {{store.name}}',
  }),
  shipped({
    topic: 'shipment.shipped',
    name: 'Parcel on its way',
    description: 'Tells the buyer what is in a parcel and how to follow it.',
    templatePath: 'shipment',
    subjectExpression: 'Your order {{invoiceNumber}} is on its way',
  }),
  shipped({
    topic: 'payment.refunded',
    name: 'Refund',
    description: 'Tells the buyer how much money comes back.',
    templatePath: 'refund',
    subjectExpression: 'Your refund for order {{invoiceNumber}}',
  }),
  shipped({
    topic: 'digital.delivered',
    name: 'Downloads',
    description: 'Brings the links to files that were bought.',
    templatePath: 'downloads',
    subjectExpression: 'Your downloads from {{store.name}}: order {{invoiceNumber}}',
  }),
  shipped({
    topic: 'customer.password_reset',
    name: 'Password reset',
    description: 'Brings the link by which a member chooses a new password.',
    templatePath: 'password-reset',
    subjectExpression: 'A new password for {{store.name}}',
  }),
  shipped({
    topic: 'invoice.reminder',
    name: 'Invoice due soon',
    description: 'Reminds a customer with account terms before an invoice is due.',
    templatePath: 'invoice-reminder',
    subjectExpression: 'Invoice {{invoiceNumber}} of {{store.name}} is due soon',
  }),
  shipped({
    topic: 'invoice.overdue',
    name: 'Invoice overdue',
    description: 'Reminds a customer of an invoice that is overdue.',
    templatePath: 'invoice-overdue',
    subjectExpression: 'Invoice {{invoiceNumber}} of {{store.name}} is overdue',
  }),
  shipped({
    topic: 'fulfilment.supplier_order',
    name: 'Supplier order',
    description: 'Asks a supplier to send an order.',
    templatePath: 'supplier-order',
    toExpression: '{{supplierEmail}}',
    subjectExpression: 'Order {{orderNumber}}',
  }),
  shipped({
    topic: 'checkout.abandoned.first',
    name: 'Cart recovery: first mail',
    description: 'Reminds a shopper of a basket that was left in the checkout.',
    templatePath: 'recovery-first',
    isEnabled: false,
    subjectExpression: 'You left something in your basket at {{store.name}}',
  }),
  shipped({
    topic: 'checkout.abandoned.reminder',
    name: 'Cart recovery: reminder',
    description: 'Reminds the shopper once more.',
    templatePath: 'recovery-reminder',
    isEnabled: false,
    subjectExpression: 'Your basket at {{store.name}} is still here',
  }),
  shipped({
    topic: 'checkout.abandoned.final',
    name: 'Cart recovery: last mail',
    description: 'Says that no further mail about the basket follows.',
    templatePath: 'recovery-final',
    isEnabled: false,
    subjectExpression: 'Last reminder: your basket at {{store.name}}',
  }),
  shipped({
    topic: 'webhook.failing',
    name: 'Webhook failing',
    description: 'Tells staff that the receiver of a webhook does not take what it is sent.',
    templatePath: 'webhook-failing',
    toExpression: '{{config.operatorEmail}}',
    subjectExpression: 'Webhook {{subscriptionName}} of {{store.name}} is failing',
  }),
  shipped({
    topic: 'webhook.gave_up',
    name: 'Webhook gave up',
    description: 'Tells staff that deliveries of a webhook were given up.',
    templatePath: 'webhook-gave-up',
    toExpression: '{{config.operatorEmail}}',
    subjectExpression: 'Webhook {{subscriptionName}} of {{store.name}} has given up deliveries',
  }),
  shipped({
    topic: 'webhook.recovered',
    name: 'Webhook recovered',
    description: 'Tells staff that the receiver of a webhook takes deliveries again.',
    templatePath: 'webhook-recovered',
    toExpression: '{{config.operatorEmail}}',
    subjectExpression: 'Webhook {{subscriptionName}} of {{store.name}} works again',
  }),
];

const byId = new Map(defaultMailConfigurations.map((one) => [one.id, one]));

export const defaultMailConfiguration = (id: string): MailConfiguration | null => byId.get(id) ?? null;
