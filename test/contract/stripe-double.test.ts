import { expect } from 'chai';
import { startStripeDouble, type StripeDouble } from '#test/support/stripe/stripe-double.ts';

interface Refusal {
  readonly type?: string;
  readonly code?: string;
  readonly param?: string;
}

// docs/rules/stripe.md#requests
describe('the double of Stripe refuses what Stripe refuses', () => {
  let double: StripeDouble;
  before(async () => {
    double = await startStripeDouble();
  });
  after(() => double.goAway());

  const ask = async (path: string, fields: Readonly<Record<string, string>>, key = 'sk_test_1') => {
    const answer = await fetch(`${double.url}/v1/${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      body: new URLSearchParams(fields),
    });
    return { status: answer.status, body: (await answer.json()) as { id: string; error?: Refusal } };
  };
  const intent = { amount: '1700', currency: 'gbp' };
  const paid = { ...intent, confirm: 'true', payment_method: 'pm_card_visa' };

  for (const [what, path, fields, refusal] of [
    [
      'a parameter that it does not know',
      'payment_intents',
      { ...intent, colour: 'red' },
      { code: 'parameter_unknown', param: 'colour' },
    ],
    ['no return_url, where a method could redirect', 'payment_intents', paid, { param: 'return_url' }],
    ['a fraction of a króna', 'payment_intents', { amount: '550', currency: 'isk' }, { param: 'amount' }],
    ['a single fils', 'payment_intents', { amount: '5124', currency: 'kwd' }, { param: 'amount' }],
    ['no amount', 'payment_intents', { currency: 'gbp' }, { code: 'parameter_invalid_integer' }],
    [
      'nothing',
      'payment_intents',
      { amount: '0', currency: 'gbp' },
      { code: 'parameter_invalid_integer', param: 'amount' },
    ],
    ['too little', 'payment_intents', { amount: '29', currency: 'gbp' }, { code: 'amount_too_small' }],
    ['too much', 'payment_intents', { amount: '123456789', currency: 'jpy' }, { code: 'amount_too_large' }],
    ['a currency in capitals', 'payment_intents', { amount: '1700', currency: 'GBP' }, { param: 'currency' }],
  ] as const)
    it(what, async () => {
      const { status, body } = await ask(path, fields);
      expect([status, body.error?.type]).to.deep.equal([400, 'invalid_request_error']);
      expect(body.error).to.deep.include(refusal);
    });

  it('a key of a browser for anything but its own intent', async () => {
    expect((await ask('payment_intents', intent, 'pk_test_1')).status).to.equal(401);
    expect((await ask('payment_intents', intent, 'none')).status).to.equal(401);
  });

  it('to give back what the payer disputes, and not what is only asked about', async () => {
    const refundOf = async (status: string) => {
      const { body } = await ask('payment_intents', { ...paid, return_url: 'https://shop.example' });
      double.dispute(body.id, status);
      return ask('refunds', { payment_intent: body.id, amount: '500' });
    };
    const refused = await refundOf('needs_response');
    expect([refused.status, refused.body.error?.code]).to.deep.equal([400, 'charge_disputed']);
    expect((await refundOf('warning_needs_response')).status).to.equal(200);
  });

  it('to confirm, capture or cancel what is over', async () => {
    const { body: made } = await ask('payment_intents', { ...paid, return_url: 'https://shop.example' });
    for (const verb of ['confirm', 'capture', 'cancel']) {
      const fields = verb === 'confirm' ? { payment_method: 'pm_card_visa' } : {};
      const { status, body } = await ask(`payment_intents/${made.id}/${verb}`, fields);
      expect([status, body.error?.code], verb).to.deep.equal([400, 'payment_intent_unexpected_state']);
    }
  });
});
