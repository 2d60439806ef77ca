import { expect } from 'chai';
import { createMailPreferences } from '#runtime/mail-preferences.ts';
import { createUnsubscribeTokens } from '#runtime/unsubscribe-tokens.ts';
import { get, inBrowser, post, withHeaders } from '#test/support/requests.ts';
import { body, events, exactly, header, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';

const applicationKey = Buffer.alloc(32, 7);
const tokens = createUnsubscribeTokens(applicationKey);
const linkFor = (email: string): string => `/api/shop/checkout/unsubscribe/${tokens.tokenOf(email)}`;
const unsubscribed = exactly({
  success: true,
  message: 'No more recovery mails will be sent to this address.',
});

// docs/rules/abandoned-checkouts.md#unsubscribing
describe('the link that ends recovery mails', () => {
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open({ environment: { APPLICATION_KEY: applicationKey.toString('base64') } });
  });
  after(() => shop.close());

  const isUnsubscribed = (email: string): Promise<boolean> =>
    createMailPreferences(shop.shop.runtime.store, applicationKey).isUnsubscribed(email);

  it('shows a page with a button and changes nothing, however often it is looked at', async () => {
    const link = linkFor('ada@example.com');
    for (const look of [get(link), get(link), { ...get(link), method: 'HEAD' as const }])
      await shop
        .given()
        .when(look)
        .then(200)
        .and(header('content-type', 'text/html; charset=utf-8'))
        .and(body((page: string) => expect(page).to.not.include('ada@example.com')))
        .and(noNewEvents());
    const { text } = await shop.shopper().get(link);
    expect(text).to.include('<form method="post"><button>');
    expect(await isUnsubscribed('ada@example.com')).to.equal(false);
  });

  it('ends them with a POST, once', async () => {
    const link = linkFor('bob@example.com');
    await shop.given().when(post(link)).then(200).and(unsubscribed).and(events('RecoveryMailsUnsubscribed'));
    await shop.given().when(post(link)).then(200).and(unsubscribed).and(noNewEvents());
    expect(await isUnsubscribed(' Bob@Example.com')).to.equal(true);
    expect(await isUnsubscribed('ada@example.com')).to.equal(false);
  });

  it('takes the one click that mail programs send, and tells a person that it is done', async () => {
    const oneClick = withHeaders(
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      post(linkFor('cleo@example.com'), 'List-Unsubscribe=One-Click'),
    );
    await shop.given().when(oneClick).then(200).and(unsubscribed).and(events('RecoveryMailsUnsubscribed'));
    await shop
      .given()
      .when(inBrowser(post(linkFor('dora@example.com'))))
      .then(200)
      .and(header('content-type', 'text/html; charset=utf-8'))
      .and(events('RecoveryMailsUnsubscribed'));
  });

  it('is wanted once by two at a time', async () => {
    const link = linkFor('eve@example.com');
    const before = await shop.shop.runtime.store.head();
    const answers = await Promise.all([1, 2, 3].map(() => shop.shopper().post(link)));
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    const written = (await eventsIn(shop)).filter(({ position }) => position > before);
    expect(written.map(({ type }) => type)).to.deep.equal(['RecoveryMailsUnsubscribed']);
  });

  it('leaves no address in the log', async () => {
    expect(JSON.stringify(await eventsIn(shop))).to.not.include('bob@example.com');
  });

  it('is none once a letter of it is another one', async () => {
    const link = linkFor('ada@example.com');
    const other = link.slice(0, -1) + (link.endsWith('A') ? 'B' : 'A');
    for (const none of [other, link.slice(0, -1), `${link}A`, '/api/shop/checkout/unsubscribe/%20'])
      for (const request of [get(none), post(none)])
        await shop
          .given()
          .when(request)
          .then(404, { success: false })
          .and(refusedFor('unsubscribe-link-invalid'))
          .and(noNewEvents());
  });
});
