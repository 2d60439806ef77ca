import { expect } from 'chai';
import type { AbandonedCheckoutCommand } from '#command/contexts/abandoned-checkouts/abandoned-checkout.commands.ts';
import { abandonedCheckoutDecider } from '#command/contexts/abandoned-checkouts/abandoned-checkout.decider.ts';
import { isRecord } from '#command/contexts/abandoned-checkouts/abandoned-checkout.state.ts';
import {
  bought,
  hoursLater,
  leftMugs,
  passAt,
  seenAtNoon,
  threeMugs,
} from '#test/support/builders/abandoned-checkout.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { given } from '#test/support/given.ts';

const untouched = given(abandonedCheckoutDecider);
const abandoned = untouched.after(passAt(1));
const cleared = { standing: { kind: 'gone' }, activityRevision: 4, revision: 4 } as const;
/** Active again, so many hours after noon. */
const activeAt = (hours: number, revision = 4) => ({
  lastActivityAt: hoursLater(hours),
  ...{ activityRevision: revision, revision },
});
const recover = (hours: number, linkNumber = 1): AbandonedCheckoutCommand => ({
  type: 'RecoverCheckout',
  ...{ linkNumber, replacedBasketId: null, worth: threeMugs, now: hoursLater(hours) },
});
const byStaff = (
  type: 'ResendRecoveryMail' | 'RegenerateRecoveryLink',
  hours: number,
): AbandonedCheckoutCommand => ({ type, expiryDays: 30, now: hoursLater(hours) });

// docs/rules/abandoned-checkouts.md#abandonment
describe('An untouched checkout', () => {
  it('is abandoned after an hour, with what was left and the first link, and not a moment before', () => {
    untouched.when(passAt(0.999)).thenNothing();
    untouched.when(passAt(1)).thenLike([
      'CheckoutAbandoned',
      {
        ...leftMugs,
        isFirst: true,
        mailsSent: 0,
        lastActivityAt: hoursLater(0),
        abandonedAt: hoursLater(1),
        firstAbandonedAt: hoursLater(1),
        link: { number: 1, issuedAt: hoursLater(1), expiresAt: hoursLater(1 + 30 * 24) },
      },
    ]);
  });

  it('is abandoned after as long as the settings say', () => {
    const settings = { 'abandonedCheckout.abandonmentThresholdHours': 0.25 };
    untouched.when(passAt(0.24, {}, settings)).thenNothing();
    untouched.when(passAt(0.25, {}, settings)).thenLike(['CheckoutAbandoned']);
  });

  it('is never abandoned without goods, or without an e-mail address', () => {
    const without = (left: object) =>
      ({ standing: { kind: 'open', left: { ...leftMugs, ...left } } }) as const;
    untouched.when(passAt(99, without({ lines: [] }))).thenNothing();
    untouched.when(passAt(99, without({ email: null }))).thenNothing();
  });

  it('is never abandoned once it is bought, or while it is being bought, or when it was cleared', () => {
    for (const standing of [bought.standing, { kind: 'busy' }, { kind: 'closed' }, { kind: 'gone' }] as const)
      untouched.when(passAt(99, { standing })).thenNothing();
  });
});

// docs/rules/forgetting.md#baskets
describe('A checkout whose shopper is forgotten', () => {
  const forget = { type: 'ForgetCheckout', now: hoursLater(2) } as const;
  const ends = [
    ['AbandonedBasketLost', { lostAt: hoursLater(2) }],
    ['CheckoutRecoveryExpired', { expiredAt: hoursLater(2), isFirst: true }],
  ] as const;

  it('ends at once, and once: no mail is due, and no one comes back', () => {
    untouched.when(forget).thenNothing();
    abandoned.when(forget).thenLike(...ends);
    const ended = abandoned.after(forget);
    ended.when(forget).thenNothing();
    ended.when(passAt(5, { standing: { kind: 'forgotten' } })).thenNothing();
    ended.when(recover(3)).thenRefused('recovery-link-invalid');
    for (const type of ['ResendRecoveryMail', 'RegenerateRecoveryLink'] as const)
      ended.when(byStaff(type, 3)).thenRefused('checkout-not-abandoned');
    abandoned.after(recover(1.5)).when(forget).thenLike(ends[0]);
  });

  it('stays bought where it was', () => {
    abandoned
      .after(passAt(2, bought))
      .when({ ...forget, now: hoursLater(3) })
      .thenNothing();
  });

  it('ends also where it was found abandoned in the same moment', () => {
    abandoned.when(passAt(2, { standing: { kind: 'forgotten' } })).thenLike(...ends);
  });
});

// docs/rules/abandoned-checkouts.md#mails
describe('The mails of an abandoned checkout', () => {
  const mail = (sequence: number, kind: string, hours: number) =>
    [
      'RecoveryMailRequested',
      {
        ...{ sequence, kind, mailsSent: sequence, requestedBy: 'schedule', requestedAt: hoursLater(hours) },
        ...{ email: leftMugs.email, figures: leftMugs.figures, lines: leftMugs.lines },
      },
    ] as const;

  it('come an hour after the abandonment, a day after that, and two days after that', () => {
    abandoned.when(passAt(1.99)).thenNothing();
    abandoned.when(passAt(2)).thenLike(mail(1, 'first', 2));
    const afterFirst = abandoned.after(passAt(2));
    afterFirst.when(passAt(25.99)).thenNothing();
    afterFirst.when(passAt(26)).thenLike(mail(2, 'reminder', 26));
    const afterReminder = afterFirst.after(passAt(26));
    afterReminder.when(passAt(73.99)).thenNothing();
    afterReminder.when(passAt(74)).thenLike(mail(3, 'final', 74));
    afterReminder.after(passAt(74)).when(passAt(500)).thenNothing();
  });

  it('do not come all at once after three days without a pass', () => {
    const late = untouched.after(passAt(80));
    late.when(passAt(81)).thenLike(mail(1, 'first', 81));
    late.after(passAt(81)).when(passAt(81)).thenNothing();
    late.after(passAt(81)).when(passAt(81.25)).thenNothing();
    late
      .after(passAt(81))
      .when(passAt(105))
      .thenLike(mail(2, 'reminder', 105));
  });

  it('are as many as the settings say', () => {
    abandoned.when(passAt(50, {}, { 'abandonedCheckout.maxRecoveryEmails': 0 })).thenNothing();
    const one = { 'abandonedCheckout.maxRecoveryEmails': 1 };
    abandoned
      .after(passAt(2, {}, one))
      .when(passAt(50, {}, one))
      .thenNothing();
  });

  it('stop when it is bought, also in the minute of the second one', () => {
    const due = abandoned.after(passAt(2));
    due.when(passAt(26, bought)).thenLike(['CheckoutConverted', { recoveredAt: null }]);
    due.after(passAt(26, bought)).when(passAt(26)).thenNothing();
    due.when(passAt(26, { standing: { kind: 'busy' } })).thenNothing();
  });

  it('go on with the next number after it is abandoned once more, and come an hour after that at the earliest', () => {
    const again = abandoned.after(passAt(2), passAt(30, activeAt(29.9)), passAt(31, activeAt(29.9)));
    expect(again.state(isRecord)).to.include({ status: 'abandoned', mailsSent: 1 });
    again.when(passAt(31.99, activeAt(29.9))).thenNothing();
    again.when(passAt(32, activeAt(29.9))).thenLike(mail(2, 'reminder', 32));
  });

  it('are no more than three in all, however often it is abandoned', () => {
    let checkout = untouched;
    let sent = 0;
    for (let day = 0; day < 5; day++) {
      const active = activeAt(day * 100, 4 + day);
      for (let hour = 1; hour < 100; hour += 7) {
        const pass = passAt(day * 100 + hour, active);
        sent += checkout
          .when(pass)
          .events()
          .filter(({ type }) => type === 'RecoveryMailRequested').length;
        checkout = checkout.after(pass);
      }
    }
    expect(sent).to.equal(3);
  });

  it('do not go out by a link that has expired', () => {
    const settings = { 'abandonedCheckout.firstEmailDelayHours': 30 * 24 + 1 };
    abandoned.when(passAt(1 + 30 * 24, {}, settings)).thenLike(['CheckoutRecoveryExpired']);
    abandoned.when(passAt(2000, {}, settings)).thenLike(['CheckoutRecoveryExpired']);
  });
});

// docs/rules/abandoned-checkouts.md#states
describe('An abandoned checkout', () => {
  it('is active again once its shopper does something, and its link stays good', () => {
    const active = activeAt(1.5);
    abandoned.when(passAt(1.6, active)).thenLike(['CheckoutResumed', { resumedAt: hoursLater(1.5) }]);
    const resumed = abandoned.after(passAt(1.6, active));
    expect(resumed.state(isRecord)).to.include({ status: 'active' });
    resumed.when(passAt(1.7, active)).thenNothing();
    resumed
      .when(recover(1.7))
      .thenLike(['CheckoutRecovered', { linkNumber: 1, isFirst: true, ...threeMugs }]);
  });

  it('is not active again by an event that is no activity', () => {
    abandoned.when(passAt(1.6, { revision: 7 })).thenNothing();
  });

  it('is abandoned once more with another link, and the older link is dead', () => {
    const again = abandoned.after(passAt(1.6, activeAt(1.5)));
    again
      .when(passAt(2.5, activeAt(1.5)))
      .thenLike([
        'CheckoutAbandoned',
        { isFirst: false, firstAbandonedAt: hoursLater(1), abandonedAt: hoursLater(2.5) },
      ]);
    const twice = again.after(passAt(2.5, activeAt(1.5)));
    twice.when(recover(3, 1)).thenRefused('recovery-link-invalid');
    twice.when(recover(3, 2)).thenLike(['CheckoutRecovered', { linkNumber: 2 }]);
  });

  it('resumes and is abandoned once more in one pass when both have long happened', () => {
    abandoned.when(passAt(50, activeAt(20))).thenLike(['CheckoutResumed'], ['CheckoutAbandoned']);
  });

  it('expires thirty days after its newest link', () => {
    abandoned.after(passAt(2), passAt(26), passAt(74)).when(passAt(720.9)).thenNothing();
    abandoned
      .after(passAt(2), passAt(26), passAt(74))
      .when(passAt(721))
      .thenLike(['CheckoutRecoveryExpired', { isFirst: true, expiredAt: hoursLater(721) }]);
    abandoned
      .after(passAt(2), passAt(26), passAt(74), byStaff('RegenerateRecoveryLink', 100))
      .when(passAt(721))
      .thenNothing();
  });

  it('is active again after it has expired, and the expired link stays dead', () => {
    const expired = abandoned.after(passAt(721));
    expired.when(recover(722)).thenRefused('recovery-link-invalid');
    expired.when(passAt(800, activeAt(799.5))).thenLike(['CheckoutResumed']);
    const twice = expired.after(passAt(800, activeAt(799.5)), passAt(801, activeAt(799.5)));
    twice.when(passAt(1521, activeAt(799.5))).thenLike(['CheckoutRecoveryExpired', { isFirst: false }]);
  });

  it('has no basket any more once that is cleared: no mail, no link, but its time runs out', () => {
    abandoned.when(passAt(2, cleared)).thenLike(['AbandonedBasketLost', { lostAt: hoursLater(2) }]);
    const lost = abandoned.after(passAt(2, cleared));
    lost.when(passAt(50, cleared)).thenNothing();
    lost.when(recover(3)).thenRefused('recovery-link-invalid');
    lost.when(byStaff('ResendRecoveryMail', 3)).thenRefused('checkout-not-abandoned');
    lost.when(passAt(721, cleared)).thenLike(['CheckoutRecoveryExpired']);
  });

  it('gets its basket back once it is shopped in again and its e-mail address is known', () => {
    const lost = abandoned.after(passAt(2, cleared));
    const restarted = (email: string | null) => ({
      ...activeAt(5, 9),
      standing: { kind: 'open', left: { ...leftMugs, email } } as const,
    });
    lost.when(passAt(5, restarted(null))).thenNothing();
    lost.when(passAt(5, restarted('ada@example.com'))).thenLike(['CheckoutResumed']);
    expect(lost.after(passAt(5, restarted('ada@example.com'))).state(isRecord)).to.include({
      isBasketGone: false,
      basketId: seenAtNoon.basketId,
    });
  });
});

// docs/rules/abandoned-checkouts.md#links
describe('A recovery link', () => {
  it('is good once, for as long as the settings said when it was issued', () => {
    abandoned.when(recover(720.9)).thenLike(['CheckoutRecovered', { recoveredAt: hoursLater(720.9) }]);
    abandoned.when(recover(721)).thenRefused('recovery-link-invalid');
    abandoned.after(recover(2)).when(recover(2)).thenRefused('recovery-link-invalid');
    abandoned.when(recover(2, 2)).thenRefused('recovery-link-invalid');
    untouched.when(recover(2)).thenRefused('recovery-link-invalid');
  });

  it('ends the mails, and nothing expires after it', () => {
    const recovered = abandoned.after(recover(2));
    recovered.when(passAt(2)).thenNothing();
    recovered.when(passAt(5000)).thenNothing();
  });

  it('tells of the first recovery as such, and of a later one as a later one', () => {
    const twice = abandoned.after(recover(2), passAt(3, activeAt(2.5)), passAt(9, activeAt(2.5)));
    twice.when(recover(10, 2)).thenLike(['CheckoutRecovered', { isFirst: false }]);
    expect(twice.after(recover(10, 2)).state(isRecord).recoveredAt).to.equal(hoursLater(2));
  });

  it('is another one once staff have regenerated it', () => {
    const link = { number: 2, issuedAt: hoursLater(3), expiresAt: hoursLater(3 + 720) };
    abandoned
      .when(byStaff('RegenerateRecoveryLink', 3))
      .thenLike(['RecoveryLinkIssued', { link, reason: 'regenerate' }]);
    const other = abandoned.after(byStaff('RegenerateRecoveryLink', 3));
    other.when(recover(4, 1)).thenRefused('recovery-link-invalid');
    other.when(recover(4, 2)).thenLike(['CheckoutRecovered']);
  });
});

// docs/rules/abandoned-checkouts.md#mails
describe('Staff who have a mail sent', () => {
  it('send the next one, as often as they like', () => {
    const sent = abandoned.after(
      byStaff('ResendRecoveryMail', 2),
      byStaff('ResendRecoveryMail', 2),
      byStaff('ResendRecoveryMail', 2),
    );
    sent
      .when(byStaff('ResendRecoveryMail', 3))
      .thenLike([
        'RecoveryMailRequested',
        { sequence: 3, kind: 'final', mailsSent: 4, requestedBy: 'staff' },
      ]);
    sent.when(passAt(100)).thenNothing();
  });

  it('send it with another link where the one before has expired', () => {
    abandoned
      .when(byStaff('ResendRecoveryMail', 800))
      .thenLike(
        ['RecoveryLinkIssued', { reason: 'resend' }],
        ['RecoveryMailRequested', { sequence: 1, mailsSent: 1 }],
      );
  });

  it('can win back nothing but an abandoned checkout', () => {
    for (const type of ['ResendRecoveryMail', 'RegenerateRecoveryLink'] as const) {
      untouched.when(byStaff(type, 2)).thenRefused('checkout-not-abandoned');
      for (const happened of [
        passAt(1.6, activeAt(1.5)),
        passAt(2, bought),
        passAt(800),
        recover(2),
      ] as const)
        abandoned.after(happened).when(byStaff(type, 900)).thenRefused('checkout-not-abandoned');
    }
  });
});

// docs/rules/abandoned-checkouts.md#conversion
describe('A sale', () => {
  const converted = { invoiceId: idNamed('invoice'), convertedAt: hoursLater(900), ...threeMugs };

  it('converts a record from every state, once, with what was bought and by whom', () => {
    for (const history of [
      abandoned,
      abandoned.after(passAt(1.6, activeAt(1.5))),
      abandoned.after(passAt(2, cleared)),
      abandoned.after(passAt(800)),
    ]) {
      history.when(passAt(900, bought)).thenLike(['CheckoutConverted', { ...converted, recoveredAt: null }]);
      history.after(passAt(900, bought)).when(passAt(901, bought)).thenNothing();
      history
        .after(passAt(900, bought))
        .when(passAt(901, activeAt(900.5)))
        .thenNothing();
    }
  });

  it('says when the checkout was recovered, if it was, also when it was active since', () => {
    const recoveredAt = hoursLater(2);
    const recovered = abandoned.after(recover(2));
    recovered.when(passAt(900, bought)).thenLike(['CheckoutConverted', { ...converted, recoveredAt }]);
    recovered
      .after(passAt(3, activeAt(2.5)))
      .when(passAt(900, bought))
      .thenLike(['CheckoutConverted', { recoveredAt }]);
  });

  it('records nothing of a checkout that was never abandoned', () => {
    untouched.when(passAt(900, bought)).thenNothing();
  });
});
