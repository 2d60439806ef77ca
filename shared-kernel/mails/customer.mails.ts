import type { EventNamed } from '#topics/topic.ts';
import { sampleAt, sampleEmail, sampleId } from '#topics/samples.ts';
import { idOf } from '#values/stream-name.ts';
import { mailTopic, type MailMessage } from './mail-topic.ts';

interface CustomerNotification {
  readonly customerId: string;
  readonly customerEmail: string | null;
  readonly customerName: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly date: string;
}

/** The link opens an account: it stands in no event, and in a mail's body only. */
export interface PasswordResetNotification {
  readonly customerEmail: string;
  readonly resetLink: string;
  readonly linkValidMinutes: number;
}

const sample: CustomerNotification = {
  customerId: sampleId('customer'),
  customerEmail: sampleEmail,
  customerName: 'Ada Lovelace',
  firstName: 'Ada',
  lastName: 'Lovelace',
  date: sampleAt,
};

const told = ({
  stream,
  recordedAt: date,
  data: { email: customerEmail, firstName, lastName },
}: EventNamed<'CustomerRegistered' | 'CustomerChanged'>): MailMessage<CustomerNotification> => {
  const customerId = idOf(stream);
  const names = [firstName, lastName].filter((name) => name);
  const customerName = names.length === 0 ? null : names.join(' ');
  return {
    entityType: 'Customer',
    entityId: customerId,
    notification: { customerId, customerEmail, customerName, firstName, lastName, date },
  };
};

export const customerMails = {
  'customer.created': mailTopic<CustomerNotification>({
    displayName: 'Customer Created',
    description: 'A customer is known for the first time.',
    sample,
    on: { CustomerRegistered: told },
  }),
  'customer.updated': mailTopic<CustomerNotification>({
    displayName: 'Customer Updated',
    description: 'What is known of a customer has changed.',
    sample,
    on: { CustomerChanged: told },
  }),
  'customer.password_reset': mailTopic<PasswordResetNotification>({
    displayName: 'Password Reset Requested',
    description: 'A member has asked for a new password.',
    sample: {
      customerEmail: sampleEmail,
      resetLink: 'https://shop.example.com/checkout/reset-password?token=sample-token',
      linkValidMinutes: 60,
    },
    on: {},
  }),
};
