import { expect } from 'chai';
import { createUnsubscribeTokens } from '#runtime/unsubscribe-tokens.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { hoursLater, LeftCheckouts, recoverBy, recoveryTokenOf } from '#test/support/left-checkouts.ts';
import { keyed, manage, payByHand } from '#test/support/requests.ts';
import { events, exactly, noNewEvents, refusedFor } from '#test/support/scene.ts';

const tokens = createUnsubscribeTokens(Buffer.alloc(32, 7));
const of = (basketId: string, what: string) =>
  manage.post(`/abandoned-checkouts/${abandonedCheckoutId(basketId)}/${what}`);
const resend = (basketId: string) => of(basketId, 'resend-email');
const regenerate = (basketId: string) => of(basketId, 'regenerate-link');

// docs/rules/abandoned-checkouts.md#by-staff
describe('staff who win a checkout back', () => {
  let left: LeftCheckouts;

  before(async () => {
    left = await LeftCheckouts.open({
      settings: { websiteUrl: 'https://shop.example' },
      environment: { AbandonedCheckout__AbandonmentThresholdHours: '0.5' },
    });
  });
  after(() => left.close());

  const staff = () => left.shop.given().by(left.shop.admin);
  const refused = (request: ReturnType<typeof resend>) =>
    staff().when(request).then(400).and(refusedFor('checkout-not-abandoned')).and(noNewEvents());

  it('have the next mail sent at once, as often as they like', async () => {
    const { basketId } = await left.left();
    for (let time = 0; time < 4; time++)
      await staff().when(resend(basketId)).then(200, { success: true }).and(events('RecoveryMailRequested'));
  });

  it('send it once under an idempotency key', async () => {
    const { basketId } = await left.left();
    const once = keyed('resend once', resend(basketId));
    const { body: first } = await staff().when(once).then(200).and(events('RecoveryMailRequested'));
    await staff().when(once).then(200).and(exactly(first)).and(noNewEvents());
  });

  it('are refused once the last link has expired, though the job has not run since', async () => {
    const { basketId, token } = await left.left();
    await left.hoursPass(30 * 24);
    await left.shop.given().when(recoverBy(token)).then(404);
    await staff()
      .when(resend(basketId))
      .then(400)
      .and(refusedFor('checkout-not-abandoned'))
      .and(events('CheckoutRecoveryExpired'));
  });

  it('make a new link each time, and the one before leads nowhere', async () => {
    const { basketId, token } = await left.left();
    for (const issue of [2, 3])
      await staff()
        .when(regenerate(basketId))
        .then(200)
        .and(
          exactly({
            recoveryLink: `https://shop.example/checkout/recover/${recoveryTokenOf(basketId, issue)}`,
          }),
        )
        .and(events('RecoveryLinkIssued'));
    await left.shop.given().when(recoverBy(token)).then(404);
    await left.shop
      .given()
      .when(recoverBy(recoveryTokenOf(basketId, 2)))
      .then(404);
    await left.shop
      .given()
      .when(recoverBy(recoveryTokenOf(basketId, 3)))
      .then(200);
  });

  it('do neither for a checkout that is not abandoned', async () => {
    const active = await left.shopping('active@example.com');
    const back = await left.left('back@example.com');
    await left.shop.shopper().ask(recoverBy(back.token));
    const bought = await left.shopping('bought@example.com');
    const cleared = await left.shopping('cleared@example.com');
    await left.hoursPass(1);
    await left.detect();
    // What is about to be found out counts.
    const resumed = await left.shopping('resumed@example.com');
    const baskets = [active, bought, cleared, resumed].map(({ basketId }) => basketId);
    await bought.initialize();
    await bought.payWith((await bought.pay()).body.invoiceId as string);
    await cleared.post('/api/shop/storefront/basket/clear');
    await left.shop.settle();
    await active.add(left.mug, 1);
    for (const basketId of [...baskets, back.basketId])
      for (const request of [resend(basketId), regenerate(basketId)]) {
        await left.shop.settle();
        await refused(request);
      }
  });

  it('do neither while money is promised for it: there is nothing to win back', async () => {
    const shopper = await left.shopping('promises@example.com');
    const { basketId } = shopper;
    const { invoiceId } = (await shopper.pay()).body;
    await hoursLater(left.shop, 0.5);
    expect((await shopper.ask(payByHand({ invoiceId }))).status).to.equal(200);
    for (const request of [resend(basketId), regenerate(basketId)]) await refused(request);
  });

  it('write to no one who has unsubscribed, but may make a link', async () => {
    const { basketId } = await left.left('no-more@example.com');
    await left.shop.shopper().post(`/api/shop/checkout/unsubscribe/${tokens.tokenOf('no-more@example.com')}`);
    await refused(resend(basketId));
    await staff().when(regenerate(basketId)).then(200);
  });

  it('are told where there is no such record', async () => {
    for (const request of [resend(left.mug), regenerate(left.mug)])
      await staff()
        .when(request)
        .then(404)
        .and(refusedFor('abandoned-checkout-not-found'))
        .and(noNewEvents());
  });

  it('must be admins', async () => {
    const { basketId } = await left.left();
    for (const request of [resend(basketId), regenerate(basketId)])
      expect((await left.shop.shopper().ask(request)).status).to.equal(401);
  });
});
