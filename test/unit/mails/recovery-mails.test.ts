import { expect } from 'chai';
import type { AbandonedCheckoutCommand } from '#command/contexts/abandoned-checkouts/abandoned-checkout.commands.ts';
import { abandonedCheckoutDecider } from '#command/contexts/abandoned-checkouts/abandoned-checkout.decider.ts';
import { mailMessagesOf } from '#test/support/mail-messages.ts';
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

const id = abandonedCheckoutId(seenAtNoon.basketId);
const recovered = {
  type: 'RecoverCheckout',
  ...{ linkNumber: 1, replacedBasketId: null, worth: threeMugs, now: hoursLater(80) },
} as const;

const told = (...commands: readonly AbandonedCheckoutCommand[]) => {
  const { history } = given(abandonedCheckoutDecider).after(...commands);
  return recordedEvents(inStream(streamOf.abandonedCheckout(id), ...history)).flatMap((event) =>
    mailMessagesOf(event, {
      invoice: null,
      downloadUrlOf: () => '',
      recoveryLinkOf: ({ recordId, issue }) => `https://shop.example.com/recover/${recordId}.${issue}`,
      unsubscribeLinkOf: (email) => `https://shop.example.com/unsubscribe/${email}`,
      timeZone: 'UTC',
    }),
  );
};

/** docs/rules/mails.md#topics */
describe('what mails tell of a checkout that was left', () => {
  it('is each mail with the goods, the way back and the way out', () => {
    const messages = told(passAt(1), passAt(2), passAt(26), passAt(74));
    expect(messages.map(({ topic }) => topic)).to.deep.equal([
      'checkout.abandoned',
      'checkout.abandoned.first',
      'checkout.abandoned.reminder',
      'checkout.abandoned.final',
    ]);
    expect(messages[1]).to.include({ entityType: 'AbandonedCheckout', entityId: id });
    expect(messages[1]?.notification).to.deep.include({
      abandonedCheckoutId: id,
      basketId: seenAtNoon.basketId,
      customerEmail: leftMugs.email,
      customerName: leftMugs.customerName,
      basketTotal: 24,
      currencyCode: 'GBP',
      currencySymbol: '£',
      formattedTotal: '£24.00',
      emailSequenceNumber: 1,
      itemCount: 1,
      recoveryLink: `https://shop.example.com/recover/${id}.1`,
      unsubscribeLink: `https://shop.example.com/unsubscribe/${leftMugs.email}`,
    });
    expect(messages[1]).to.have.nested.property('notification.lines').that.is.not.empty;
    expect(messages[3]).to.have.nested.property('notification.emailSequenceNumber', 3);
  });

  it('is that it came back and was bought, where it came back by its link', () => {
    const messages = told(passAt(1), recovered, passAt(90, bought));
    expect(messages.map(({ topic }) => topic)).to.deep.equal([
      'checkout.abandoned',
      'checkout.recovered',
      'checkout.converted',
    ]);
    expect(messages[2]?.notification).to.include({
      invoiceId: idNamed('invoice'),
      customerEmail: threeMugs.email,
      orderTotal: 36,
      originalAbandonmentDate: hoursLater(1),
      recoveredDate: hoursLater(80),
    });
    expect(told(passAt(1), passAt(90, bought)).map(({ topic }) => topic)).to.deep.equal([
      'checkout.abandoned',
    ]);
  });
});
