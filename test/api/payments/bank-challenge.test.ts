import { expect } from 'chai';
import type { Request } from '#test/support/browser.ts';
import { get, inBrowser, pay, payExpress, payInvoice, readyToPay } from '#test/support/requests.ts';
import { body, header, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

const TOKEN = 'tok_3ds_challenge';

/** What a browser sends when a button of the page is pressed. */
const pressed = (html: string, button: string): Request => {
  const [, action = ''] = /<form method="get" action="([^"]+)">/.exec(html) ?? [];
  const fields = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]+)">/g)];
  const [, outcome = ''] = new RegExp(`name="outcome" value="(\\w+)">${button}<`).exec(html) ?? [];
  const query = new URLSearchParams([
    ...fields.map(([, name = '', value = '']): [string, string] => [name, value]),
    ['outcome', outcome],
  ]);
  return inBrowser(get(`${action}?${query.toString()}`));
};

// docs/rules/payments.md#challenge
describe("the page of a payer's bank, of the sandbox", () => {
  let shop: TestShop;
  let mug: string;
  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('<mug>', { price: 10, stock: 1000 });
  });
  after(() => shop.close());

  const by = (shopper: Shopper) => shop.given().by(shopper);
  const atBank = async (dying: (invoiceId: string) => Request = paying) => {
    const shopper = shop.shopper();
    const { body: begun } = await shop
      .given(...readyToPay(mug))
      .by(shopper)
      .when(pay({ returnUrl: '/thanks', cancelUrl: '/basket' }))
      .then(200);
    const invoiceId = String(begun.invoiceId);
    const { body: sent } = await by(shopper)
      .when(dying(invoiceId))
      .then(200, { success: true, status: 'RequiresAction' });
    const address = new URL(String(sent.redirectUrl));
    expect(address.origin, 'a page elsewhere can send the browser there').to.equal(shop.base);
    return { shopper, invoiceId, sent, path: address.pathname + address.search };
  };
  const paying = (invoiceId: string): Request => payInvoice(invoiceId, { paymentMethodToken: TOKEN });
  const shown = async (shopper: Shopper, path: string): Promise<string> => {
    const { status, text, headers } = await shopper.ask(inBrowser(get(path)));
    expect(status, text).to.equal(200);
    expect(headers.get('content-type')).to.include('text/html');
    return text;
  };

  it('asks for the amount, and sends those who approve to where /pay said', async () => {
    const { shopper, invoiceId, path } = await atBank();
    const html = await shown(shopper, path);
    expect(html).to.include('£17.00');
    await by(shopper)
      .when(pressed(html, 'Approve'))
      .then(303)
      .and(header('Location', `/thanks?invoiceId=${invoiceId}&status=Completed`));
    expect(shopper.cookies.has('shop_confirmation')).to.equal(true);
    expect(await shop.charges(invoiceId)).to.have.length(1);
  });

  it('sends those who decline back, with nothing charged, and they may pay again', async () => {
    const { shopper, invoiceId, path } = await atBank();
    await by(shopper)
      .when(pressed(await shown(shopper, path), 'Decline'))
      .then(303)
      .and(header('Location', `/thanks?invoiceId=${invoiceId}&status=Failed`));
    expect(await shop.charges(invoiceId)).to.have.length(0);
    await by(shopper).when(paying(invoiceId)).then(200, { status: 'RequiresAction' });
  });

  it('is waited for: those who come back without its word have not paid', async () => {
    const { shopper, invoiceId, sent } = await atBank();
    await by(shopper)
      .when(get(`/api/shop/checkout/return?provider=sandbox&sessionId=${String(sent.transactionId)}`))
      .then(200, { status: 'Pending' })
      .and(noNewEvents());
    expect(await shop.charges(invoiceId)).to.have.length(0);
  });

  it('is there as long as it is waited for, and for nobody else', async () => {
    const { shopper, path } = await atBank();
    const html = await shown(shopper, path);
    await by(shopper).when(pressed(html, 'Approve')).then(303);
    for (const gone of [path, `${path}x`, '/api/shop/checkout/sandbox/challenge?sessionId=%3Cscript%3E'])
      await by(shopper).when(get(gone)).then(404).and(refusedFor('payment-not-found'));
    await by(shopper).when(get('/api/shop/checkout/sandbox/challenge')).then(400);
  });

  it('is a page of its own for a wallet, too, which goes on where the request says', async () => {
    const shopper = shop.shopper();
    const pages = { returnUrl: '/wallet/thanks', cancelUrl: '/wallet' };
    const { body: sent } = await shop
      .given(...readyToPay(mug))
      .by(shopper)
      .when(payExpress({ paymentToken: TOKEN, ...pages }))
      .then(200, { status: 'pending' });
    const { pathname, search } = new URL(String(sent.redirectUrl));
    const html = await shown(shopper, pathname + search);
    await by(shopper)
      .when(pressed(html, 'Approve'))
      .then(303)
      .and(header('Location', `/wallet/thanks?invoiceId=${String(sent.invoiceId)}&status=Completed`));
  });

  it('loads nothing, and runs nothing', async () => {
    const { shopper, path } = await atBank();
    await by(shopper)
      .when(inBrowser(get(path)))
      .then(200)
      .and(header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'"))
      .and(body((html) => expect(html).to.not.include('<script')));
  });
});
