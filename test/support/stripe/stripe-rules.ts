/** What an API request asks for: form fields by their names as they are sent (`metadata[invoiceId]`). */
export type Form = Readonly<Record<string, string>>;
export type Json = Record<string, unknown>;
export type Answer = readonly [status: number, body: Json];

/** https://docs.stripe.com/api/errors */
export const error = (
  status: number,
  type: string,
  code: string | null,
  message: string,
  more: Json = {},
): Answer => [status, { error: { type, message, ...(code && { code }), ...more } }];

const invalid = (code: string | null, message: string, param?: string): Answer =>
  error(400, 'invalid_request_error', code, message, param === undefined ? {} : { param });

export const missing = (): Answer =>
  error(404, 'invalid_request_error', 'resource_missing', 'No such thing.');

/** https://docs.stripe.com/error-codes#payment-intent-unexpected-state */
export const moved = (what: 'payment_intent' | 'setup_intent' = 'payment_intent'): Answer =>
  invalid(`${what}_unexpected_state`, 'It has moved on.');

/** https://docs.stripe.com/js/payment_intents/confirm_payment: a browser has the secret of its own intent only. */
export const wrongSecret = (what: 'payment_intent' | 'setup_intent'): Answer =>
  invalid(
    `${what}_invalid_parameter`,
    'The client_secret provided does not match any associated intent on this account.',
    'client_secret',
  );

/** https://docs.stripe.com/api/payment_intents/create#create_payment_intent-automatic_payment_methods */
export const noReturnUrl = (): Answer =>
  invalid(null, 'Some methods redirect your customer: you must provide a `return_url`.', 'return_url');

const common = 'expand';
const confirming = 'payment_method confirmation_token return_url off_session use_stripe_sdk client_secret';
/** The parameters that the adapter could send, by the endpoint's page under https://docs.stripe.com/api. */
const parameters = new Map(
  Object.entries({
    payment_intents: `amount currency confirm metadata automatic_payment_methods customer description setup_future_usage capture_method ${confirming}`,
    'payment_intents confirm': `setup_future_usage ${confirming}`,
    'payment_intents cancel': 'cancellation_reason',
    'payment_intents capture': 'amount_to_capture final_capture metadata',
    refunds: 'payment_intent amount reason metadata',
    customers: 'email name metadata',
    setup_intents: `customer usage metadata confirm automatic_payment_methods ${confirming}`,
    'setup_intents confirm': confirming,
    'setup_intents cancel': 'cancellation_reason',
    'payment_methods detach': '',
    'checkout/sessions':
      'mode line_items success_url cancel_url metadata customer payment_intent_data expires_at',
    'checkout/sessions expire': '',
  }).map(([endpoint, names]): [string, ReadonlySet<string>] => [
    endpoint,
    new Set(`${names} ${common}`.split(' ')),
  ]),
);

/** https://docs.stripe.com/error-codes#parameter-unknown */
export const unknownParameter = (endpoint: string, form: Form): Answer | null => {
  const known = parameters.get(endpoint);
  const unknown = Object.keys(form).find((name) => !known?.has(name.replace(/\[.*$/s, '')));
  return unknown === undefined
    ? null
    : invalid('parameter_unknown', `Received unknown parameter: ${unknown}`, unknown);
};

/** https://docs.stripe.com/currencies#presentment-currencies */
const currencies = new Set(
  (
    'usd aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bhd bif bmd bnd bob brl bsd bwp byn bzd cad cdf chf clp ' +
    'cny cop crc cve czk djf dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd gnf gtq gyd hkd hnl htg huf idr ils inr isk ' +
    'jmd jod jpy kes kgs khr kmf krw kwd kyd kzt lak lbp lkr lrd lsl mad mdl mga mkd mmk mnt mop mur mvr mwk mxn myr mzn ' +
    'nad ngn nio nok npr nzd omr pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd scr sek sgd shp sle sos srd std ' +
    'szl thb tjs tnd top try ttd twd tzs uah ugx uyu uzs vnd vuv wst xaf xcd xof xpf yer zar zmw'
  ).split(' '),
);

/** https://docs.stripe.com/currencies#special-cases and #three-decimal */
const steps: Readonly<Record<string, number>> = {
  isk: 100,
  ugx: 100,
  bhd: 10,
  jod: 10,
  kwd: 10,
  omr: 10,
  tnd: 10,
};

/** https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts, of an account that is paid out in each. */
const minima: Readonly<Record<string, number>> = {
  usd: 50,
  eur: 50,
  gbp: 30,
  jpy: 50,
  aed: 200,
  dkk: 250,
  sek: 300,
  nok: 300,
};

const digitsOf = (currency: string): number => (currency === 'idr' ? 12 : 8);

/** What Stripe says of an amount that it does not charge; null: it does. */
export const refusedAmount = (
  text: string | undefined,
  currency: string,
  param = 'amount',
): Answer | null => {
  if (!currencies.has(currency))
    return invalid(
      null,
      `Invalid currency: ${currency}.`,
      param.replace(/(unit_)?amount(\]?)$/, 'currency$2'),
    );
  const amount = Number(text);
  if (!/^\d+$/.test(text ?? '') || amount === 0)
    return invalid('parameter_invalid_integer', 'Invalid integer', param);
  if (amount % (steps[currency] ?? 1) !== 0) return invalid(null, 'Invalid amount.', param);
  if (String(amount).length > digitsOf(currency))
    return invalid('amount_too_large', 'Amount is too large.', param);
  return amount < (minima[currency] ?? 1)
    ? invalid('amount_too_small', 'Amount must be at least the minimum.', param)
    : null;
};
