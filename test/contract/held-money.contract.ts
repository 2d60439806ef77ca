import { expect } from 'chai';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { chargeOf, startOf } from '#test/support/builders/payment.ts';
import type { ProviderUnderTest } from './payment-provider.contract.ts';

const can = <T>(ability: T | undefined): T => ability ?? expect.fail('it cannot do that');

/** What every provider that captures later is held to, set to do so. */
export const describeHolds = (
  name: string,
  methodAlias: string,
  open: () => Promise<ProviderUnderTest>,
): void => {
  describe(`money that the payment provider ${name} only sets aside`, () => {
    let shop: ProviderUnderTest;
    let provider: PaymentProvider;
    beforeEach(async () => {
      shop = await open();
      ({ provider } = shop);
    });
    afterEach(async () => shop.close?.());

    const authorized = async (key = 'key'): Promise<string> => {
      const outcome = await can(provider.charge)(chargeOf(shop.tokens.good, key));
      return outcome.kind === 'authorized' ? outcome.transactionId : expect.fail(JSON.stringify(outcome));
    };
    const capture = (transactionId: string, amountMinor: number, key = 'capture') =>
      can(provider.capture)({
        idempotencyKey: idNamed(key),
        ...{ transactionId, amountMinor, currency: 'GBP' },
      });
    const letGo = (transactionId: string, key = 'void') =>
      can(provider.void)({ idempotencyKey: idNamed(key), transactionId });
    const look = async (transactionId: string) => {
      const found = await can(provider.lookUp)({ transactionId });
      return found.kind === 'found' ? found.payment : expect.fail(JSON.stringify(found));
    };

    it('is not taken, and can be captured until the provider says', async () => {
      expect(provider.capturesLater?.()).to.equal(true);
      const transactionId = await authorized();
      const { status, amountMinor, authorizedUntil } = await look(transactionId);
      expect({ status, amountMinor }).to.deep.equal({ status: 'authorized', amountMinor: 2640 });
      expect(Date.parse(authorizedUntil ?? '')).to.be.a('number').and.not.NaN;
      expect(await shop.taken()).to.equal(0);
    });

    it('is captured once, in part too, and tells who asks again how much that was', async () => {
      const transactionId = await authorized();
      expect((await capture(transactionId, 2000)).kind).to.equal('completed');
      expect((await capture(transactionId, 2000)).kind).to.equal('completed');
      expect(await capture(transactionId, 640, 'rest')).to.deep.equal({
        kind: 'completed',
        transactionId,
        amountMinor: 2000,
      });
      expect(await shop.taken()).to.equal(2000);
      expect(await look(transactionId)).to.include({ status: 'completed', amountMinor: 2000 });
    });

    it('is never captured beyond what is set aside', async () => {
      const transactionId = await authorized();
      expect((await capture(transactionId, 2641)).kind).to.equal('refused');
      expect(await look(transactionId)).to.include({ status: 'authorized' });
      expect(await shop.taken()).to.equal(0);
    });

    it('is let go, once too, and can be captured no more', async () => {
      const transactionId = await authorized();
      expect(await letGo(transactionId)).to.deep.equal({ kind: 'completed' });
      expect(await letGo(transactionId, 'again')).to.deep.equal({ kind: 'completed' });
      expect((await capture(transactionId, 2640)).kind).to.equal('refused');
      expect(await look(transactionId)).to.include({ status: 'cancelled' });
      expect(await shop.taken()).to.equal(0);
    });

    it('is not let go once it was captured', async () => {
      const transactionId = await authorized();
      await capture(transactionId, 2640);
      expect((await letGo(transactionId)).kind).to.equal('refused');
      expect(await shop.taken()).to.equal(2640);
    });

    it('goes back by itself when nobody captures it in time', async () => {
      const transactionId = await authorized();
      shop.expire(transactionId);
      expect(await look(transactionId)).to.include({ status: 'cancelled' });
      expect((await capture(transactionId, 2640)).kind).to.equal('refused');
      expect(await shop.taken()).to.equal(0);
    });

    it('is set aside in a session as well', async () => {
      const started = await can(provider.start)({ ...startOf('held'), methodAlias });
      const { sessionId } = started.kind === 'started' ? started.session : expect.fail(started.kind);
      await shop.payIn(sessionId);
      expect(await look(sessionId)).to.include({ status: 'authorized', amountMinor: 2640 });
      expect((await capture(sessionId, 2000)).kind).to.equal('completed');
      expect(await look(sessionId)).to.include({ status: 'completed', amountMinor: 2000 });
      expect(await shop.taken()).to.equal(2000);
    });

    it('is taken at once where no payer is there to wait', async () => {
      const charged = await can(provider.charge)({ ...chargeOf(shop.tokens.good), isOffSession: true });
      expect(charged.kind).to.equal('completed');
    });
  });
};
