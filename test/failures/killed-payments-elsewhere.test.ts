import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { MortalShop } from '#test/support/mortal-shop.ts';
import { callbackRequest } from '#test/support/provider-callbacks.ts';
import {
  captureWidgetOrder,
  returnFromProvider,
  createWidgetOrder,
  keyed,
  pay,
  payElsewhere,
  payExpress,
  payInvoice,
} from '#test/support/requests.ts';
import type { Shopper } from '#test/support/shop.ts';
import type { Death } from '#test/support/shop-process.ts';

/** What a shopper knows of their payment so far. */
interface Known {
  readonly shopper: Shopper;
  readonly invoiceId: string;
  /** At the provider. */
  readonly reference: string;
}

type Act = (known: Known) => Promise<ApiResponse>;

/** A payment: what comes before, what the shop dies of, and what happens once it is back. */
interface Flow {
  readonly title: string;
  readonly before: readonly Act[];
  readonly dying: Act;
  /** Whoever asks again asks for the same; left out: nobody does. */
  readonly after?: readonly Act[];
  readonly points: readonly (readonly ['before' | 'after', string])[];
}

const order: Act = ({ shopper }) => shopper.pay();
const goElsewhere: Act = ({ shopper }) => shopper.ask(payElsewhere('redirect'));
const openWidget: Act = ({ shopper }) => shopper.ask(createWidgetOrder());
const capture: Act = ({ shopper, reference }) => shopper.ask(captureWidgetOrder(reference));
const back: Act = ({ shopper, reference }) => shopper.ask(returnFromProvider({ sessionId: reference }));
const payBy =
  (paymentMethodToken: string): Act =>
  ({ shopper, invoiceId }) =>
    shopper.ask(payInvoice(invoiceId, { paymentMethodToken }));
const callback: Act = ({ shopper, invoiceId, reference }) =>
  shopper.ask(
    callbackRequest({
      id: `evt_${invoiceId}`,
      type: 'PaymentCompleted',
      data: { transactionId: reference || `tx-${invoiceId}`, invoiceId, amount: 17, currency: 'GBP' },
    }),
  );
/** A button at the page of the payer's bank. */
const approve: Act = ({ shopper, reference }) =>
  shopper.ask(returnFromProvider({ sessionId: reference, outcome: 'approve' }));
const lookAtBank: Act = ({ shopper, reference }) =>
  shopper.ask({ method: 'GET', path: `/api/shop/checkout/sandbox/challenge?sessionId=${reference}` });
const orderAgain: Act = ({ shopper }) => shopper.ask(pay({ returnUrl: '/second', cancelUrl: '/second' }));
const express: Act = ({ shopper }) => shopper.ask(keyed('wallet', payExpress()));

const captured = ['before', 'PaymentCaptured'] as const;
const sold = ['before', 'SaleConfirmed'] as const;
const opened = [
  ['before', 'PaymentSessionOpened'],
  ['after', 'PaymentSessionOpened'],
] as const;
const attempted = ['after', 'PaymentAttempted'] as const;
/** Which invoice a provider means. */
const REFERENCES = 'payment_references';
const referred = [
  ['before', REFERENCES],
  ['after', REFERENCES],
] as const;

const flows: readonly Flow[] = [
  {
    title: 'sends a payer to a page',
    before: [],
    dying: goElsewhere,
    after: [goElsewhere, back],
    points: [...opened, ...referred],
  },
  { title: 'takes a payer back', before: [goElsewhere], dying: back, after: [back], points: [captured] },
  { title: 'takes a payer back who is never seen again', before: [goElsewhere], dying: back, points: [sold] },
  {
    title: 'hears that the bank wants to see the payer',
    before: [order],
    dying: payBy('tok_3ds'),
    after: [payBy('tok_3ds'), back],
    points: [attempted, ...opened, ...referred],
  },
  {
    title: 'takes a payer back from the bank',
    before: [order, payBy('tok_3ds')],
    dying: back,
    after: [back],
    points: [captured],
  },
  {
    title: 'shows a payer the page of their bank',
    before: [order],
    dying: payBy('tok_3ds_challenge'),
    after: [payBy('tok_3ds_challenge'), lookAtBank, approve],
    points: [attempted, ...opened, ...referred],
  },
  {
    title: 'takes a payer back who has approved',
    before: [order, payBy('tok_3ds_challenge')],
    dying: approve,
    after: [approve],
    points: [captured, sold],
  },
  {
    title: 'learns where a payer goes on',
    before: [order],
    dying: orderAgain,
    after: [orderAgain, payBy('tok_3ds_challenge'), approve],
    points: [
      ['before', 'PaymentPagesChosen'],
      ['after', 'PaymentPagesChosen'],
    ],
  },
  {
    title: 'hears that the outcome is owed',
    before: [order],
    dying: payBy('tok_pending'),
    after: [payBy('tok_pending'), callback],
    points: [attempted, ['before', 'PaymentPending'], ['after', 'PaymentPending'], ...referred],
  },
  {
    title: 'hears an outcome that was owed',
    before: [order, payBy('tok_pending')],
    dying: callback,
    after: [callback],
    points: [captured, sold],
  },
  {
    title: 'hears of a payment that it never started',
    before: [order],
    dying: callback,
    after: [callback],
    points: [...referred, captured, sold],
  },
  {
    title: 'completes the order of a widget',
    before: [openWidget],
    dying: capture,
    after: [capture],
    points: [captured, sold],
  },
  {
    title: 'sells to a wallet',
    before: [],
    dying: express,
    after: [express],
    points: [['after', 'InvoiceCreated'], attempted, captured, sold],
  },
];

/** A page that was opened, and is closed because the card has paid. */
const voiding: readonly Death[] = [
  { when: 'after', eventType: 'PaymentCaptured' },
  { when: 'before', eventType: 'PaymentSessionsVoided' },
  { when: 'after', eventType: 'PaymentSessionsVoided' },
];

/** docs/rules/payment-sessions.md */
describe('a shop that is killed over a payment that goes on elsewhere', () => {
  let shop: MortalShop;
  let mug: string;
  let salesSoFar = 0;

  before(async () => {
    shop = await MortalShop.open();
    mug = await shop.sell('mug', { price: 10 });
  });
  after(() => shop.close());

  const learn = (known: Known, { status, body }: ApiResponse): Known => {
    expect(status, JSON.stringify(body)).to.equal(200);
    const reference = body.sessionId ?? body.orderId ?? body.transactionId ?? known.reference;
    return { ...known, invoiceId: body.invoiceId ?? known.invoiceId, reference };
  };
  const walk = async (known: Known, acts: readonly Act[]): Promise<Known> => {
    for (const act of acts) known = learn(known, await act(known));
    return known;
  };

  for (const { title, before: first, dying, after: then = [], points } of flows)
    for (const [when, eventType] of points)
      it(`${title}, ${when} ${eventType}: it is one order, one charge and one sale`, async () => {
        await shop.live(eventType === REFERENCES ? { when, rowIn: eventType } : { when, eventType });
        const shopper = shop.shopper();
        await shopper.prepare(mug, 1, `${newId()}@example.com`);
        const known = await walk({ shopper, invoiceId: '', reference: '' }, first);
        await shop.dieOf(dying(known));

        await shop.live();
        const { invoiceId } = await walk(known, then);
        await shop.settle();
        const charges = (await shop.charges()).filter((charge) => charge.invoiceId === invoiceId);
        expect(charges.map(({ amount }) => amount)).to.deep.equal([17]);
        const { sales, problems } = await shop.audit();
        expect({ sales, problems }).to.deep.equal({ sales: ++salesSoFar, problems: [] });
      });

  for (const point of voiding)
    it(`closes a page at the provider that nobody needs, ${point.when} ${point.eventType}: nobody pays in it`, async () => {
      await shop.live(point);
      const shopper = shop.shopper();
      await shopper.prepare(mug, 1, `${newId()}@example.com`);
      const known = await walk({ shopper, invoiceId: '', reference: '' }, [goElsewhere]);
      await shop.dieAfter(payBy('tok_success')(known));

      await shop.live();
      await shop.settle();
      const { stateStore, store } = shop.engines;
      expect(await stateStore.get('sandbox_sessions', known.reference)).to.include({ status: 'cancelled' });
      const log = await store.readStream(`invoice-${known.invoiceId}`);
      expect(log.filter(({ type }) => type === 'PaymentSessionsVoided')).to.have.length(1);
      const { sales, problems } = await shop.audit();
      expect({ sales, problems }).to.deep.equal({ sales: ++salesSoFar, problems: [] });
    });
});
