import { expect } from 'chai';
import type { AbandonedCheckoutCommand } from '#command/contexts/abandoned-checkouts/abandoned-checkout.commands.ts';
import { abandonedCheckoutDecider } from '#command/contexts/abandoned-checkouts/abandoned-checkout.decider.ts';
import { notificationsOf } from '#topics/event-notifications.ts';
import { messagesOf } from '#topics/topics.ts';
import { misfitsOf } from '#test/support/fitting-topics.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { streamOf } from '#values/stream-name.ts';
import {
  bought,
  hoursLater,
  leftMugs,
  passAt,
  seenAtNoon,
  threeMugs,
} from '#test/support/builders/abandoned-checkout.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { given, inStream, recordedEvents } from '#test/support/given.ts';
import { topicContext } from '#test/support/topic-context.ts';

const id = abandonedCheckoutId(seenAtNoon.basketId);
const recovered = {
  type: 'RecoverCheckout',
  ...{ linkNumber: 1, replacedBasketId: null, worth: threeMugs, now: hoursLater(80) },
} as const;

const recordedAfter = (...commands: readonly AbandonedCheckoutCommand[]) => {
  const { history } = given(abandonedCheckoutDecider).after(...commands);
  return recordedEvents(inStream(streamOf.abandonedCheckout(id), ...history));
};
const told = (...commands: readonly AbandonedCheckoutCommand[]) =>
  recordedAfter(...commands).flatMap((event) => messagesOf(event, topicContext));

const wonBack = [passAt(1), passAt(2), passAt(26), passAt(74), recovered, passAt(90, bought)];
const link = `/checkout/recover/${id}.1`;
const { email: customerEmail, customerName } = leftMugs;
const ofRecord = { abandonedCheckoutId: id, basketId: seenAtNoon.basketId, customerEmail };
const price = { currencyCode: 'GBP', currencySymbol: '£', formattedTotal: '£24.00' };
/** Of what was bought in the end. */
const later = { ...price, formattedTotal: '£36.00' };
const now = threeMugs.email;
const dates = { originalAbandonmentDate: hoursLater(1), recoveredDate: hoursLater(80) };

// docs/rules/abandoned-checkouts.md#states
describe('Webhooks of a checkout that is won back', () => {
  it('tell of the abandonment, each mail, the recovery and the sale', () => {
    const mail = (emailSequenceNumber: number) => ({
      ...{
        ...ofRecord,
        customerName,
        basketTotal: 24,
        recoveryLink: link,
        emailSequenceNumber,
        itemCount: 1,
      },
      ...price,
    });
    const messages = told(...wonBack).map(({ topic, entityType, entityId, data }) => {
      expect([entityType, entityId]).to.deep.equal(['AbandonedCheckout', id]);
      return [topic, data];
    });
    expect(messages).to.deep.equal([
      [
        'checkout.abandoned',
        { ...ofRecord, customerName, basketTotal: 24, currencyCode: 'GBP', recoveryLink: link },
      ],
      ['checkout.abandoned.first', mail(1)],
      ['checkout.abandoned.reminder', mail(2)],
      ['checkout.abandoned.final', mail(3)],
      ['checkout.recovered', { ...ofRecord, customerEmail: now, basketTotal: 36, ...dates, ...later }],
      [
        'checkout.converted',
        {
          ...{ abandonedCheckoutId: id, invoiceId: idNamed('invoice'), customerEmail: now, orderTotal: 36 },
          ...dates,
          ...later,
        },
      ],
    ]);
  });

  it('fit their schemas, as everything that goes out', () => {
    expect(misfitsOf(recordedAfter(...wonBack))).to.deep.equal([]);
  });

  it('tell of no sale that came without the link, and of a recovery once', () => {
    expect(told(passAt(1), passAt(2, bought)).map(({ topic }) => topic)).to.deep.equal([
      'checkout.abandoned',
    ]);
    const active = { lastActivityAt: hoursLater(81), activityRevision: 4, revision: 4 };
    const again = { ...recovered, linkNumber: 2, now: hoursLater(83) } as const;
    const topics = told(passAt(1), recovered, passAt(81.5, active), passAt(82, active), again);
    expect(topics.map(({ topic }) => topic)).to.deep.equal([
      'checkout.abandoned',
      'checkout.recovered',
      'checkout.abandoned',
    ]);
  });

  it('go with the notifications of the same names', () => {
    expect(recordedAfter(...wonBack).flatMap(notificationsOf)).to.deep.equal([
      'CheckoutAbandonedNotification',
      'CheckoutAbandonedFirstNotification',
      'CheckoutAbandonedReminderNotification',
      'CheckoutAbandonedFinalNotification',
      'CheckoutRecoveredNotification',
      'CheckoutRecoveryConvertedNotification',
    ]);
  });
});
