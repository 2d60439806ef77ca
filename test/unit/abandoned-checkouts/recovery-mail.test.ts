import { expect } from 'chai';
import { abandonedCheckoutId, nextRecoveryMail } from '#values/abandoned-checkout.ts';

const basketId = '0197a5b0-0000-7000-8000-000000000001';

describe('the record of an abandoned checkout', () => {
  it('is one per basket, under an id that is not the basket’s', () => {
    expect(abandonedCheckoutId(basketId)).to.equal(abandonedCheckoutId(basketId)).and.not.to.equal(basketId);
    expect(abandonedCheckoutId('0197a5b0-0000-7000-8000-000000000002')).not.to.equal(
      abandonedCheckoutId(basketId),
    );
  });

  it('has three mails in their order, and every further one is a final one', () => {
    const kinds = [0, 1, 2, 3, 9].map((sent) => nextRecoveryMail(sent));
    expect(kinds).to.deep.equal([
      { sequence: 1, kind: 'first' },
      { sequence: 2, kind: 'reminder' },
      { sequence: 3, kind: 'final' },
      { sequence: 3, kind: 'final' },
      { sequence: 3, kind: 'final' },
    ]);
  });
});
