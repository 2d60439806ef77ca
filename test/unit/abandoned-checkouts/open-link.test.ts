import { abandonedCheckoutDecider } from '#command/contexts/abandoned-checkouts/abandoned-checkout.decider.ts';
import { openLink } from '#command/contexts/abandoned-checkouts/recovery/open-link.ts';
import { expect } from 'chai';
import {
  bought,
  hoursLater,
  passAt,
  seenAtNoon,
  threeMugs,
} from '#test/support/builders/abandoned-checkout.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { given } from '#test/support/given.ts';

const untouched = given(abandonedCheckoutDecider);
const abandoned = untouched.after(passAt(1));
const { basketId } = seenAtNoon;
const recovered = abandoned.after({
  type: 'RecoverCheckout',
  ...{ linkNumber: 1, replacedBasketId: idNamed('earlier'), worth: threeMugs, now: hoursLater(2) },
});
const expiresAfter = 1 + 30 * 24;

const opened = (record: ReturnType<typeof abandoned.after>, hours: number, held: string | null = null) =>
  openLink(record.state(), (one) => one === held, Date.parse(hoursLater(hours)));

// docs/rules/abandoned-checkouts.md#coming-back
describe('opening a recovery link', () => {
  const first = { basketId, linkNumber: 1, isFirst: true };
  const again = { ...first, isFirst: false };

  it('leads to the basket that was left, whoever opens it, until the link expires', () => {
    expect(opened(abandoned, 1)).to.deep.equal(first);
    expect(opened(abandoned, 1, idNamed('another'))).to.deep.equal(first);
    expect(opened(abandoned, expiresAfter - 0.001)).to.deep.equal(first);
    expect(opened(abandoned, expiresAfter)).to.equal(null);
  });

  it('still does when the shopper has been active since', () => {
    const active = { lastActivityAt: hoursLater(2), activityRevision: 4, revision: 4 };
    expect(opened(abandoned.after(passAt(2, active)), 2)).to.deep.equal(first);
  });

  it('leads nowhere once it was bought, has expired, or the basket is gone', () => {
    const gone = { standing: { kind: 'gone' }, activityRevision: 4, revision: 4 } as const;
    expect(opened(untouched, 1, basketId)).to.equal(null);
    for (const record of [
      abandoned.after(passAt(2, bought)),
      abandoned.after(passAt(2, gone)),
      abandoned.after(passAt(expiresAfter)),
      recovered.after(passAt(3, bought)),
    ])
      expect(opened(record, 3, basketId), record.state().status).to.equal(null);
  });

  it('is good once, but for the shopper who has come back by it', () => {
    expect(opened(recovered, 3)).to.equal(null);
    expect(opened(recovered, 3, idNamed('another'))).to.equal(null);
    expect(opened(recovered, 3, basketId)).to.deep.equal(again);
    expect(opened(recovered, 3, idNamed('earlier'))).to.deep.equal(again);
    expect(opened(recovered, expiresAfter, basketId)).to.equal(null);
  });
});
