import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { PaymentCallback, RawCallback, ReadCallback } from '#ports/payment-callback.ts';
import { isAmountIn, toMinor } from '#values/money.ts';
import { isCurrency } from '#values/currency.ts';

/** By how much a signature may be older or newer than the shop's clock says. */
const TOLERANCE_SECONDS = 300;

const types = [
  'PaymentCompleted',
  'PaymentAuthorized',
  'PaymentSuspected',
  'PaymentFailed',
  'PaymentCancelled',
  'RefundCompleted',
  'RefundFailed',
  'DisputeOpened',
  'DisputeResolved',
] as const;

const isEqual = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected);

/** `t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`; any one of several v1 is enough. */
const isSignedWithTime = (header: string, { body, now }: RawCallback, secret: string): boolean => {
  const parts = header.split(',').map((part) => part.trim());
  const time = parts.find((part) => part.startsWith('t='))?.slice(2) ?? '';
  if (!/^\d{1,12}$/.test(time) || Math.abs(now / 1000 - Number(time)) > TOLERANCE_SECONDS) return false;
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  return parts.some((part) => {
    const hex = part.startsWith('v1=') ? part.slice(3) : '';
    return /^[0-9a-f]{64}$/i.test(hex) && isEqual(Buffer.from(hex, 'hex'), expected);
  });
};

/** The signature with a time decides alone where it is given. */
const isSigned = (callback: RawCallback, secret: string): boolean => {
  const { headers, body } = callback;
  const withTime = headers['x-webhook-signature'];
  if (withTime !== undefined) return isSignedWithTime(withTime, callback, secret);
  const plain = headers['x-signature'];
  if (plain === undefined) return false;
  return isEqual(Buffer.from(plain, 'base64'), createHmac('sha256', secret).update(body).digest());
};

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textIn = (fields: Fields, name: string): string | null => {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : null;
};

class Malformed extends Error {}

const currencyIn = (data: Fields, name: string): string | null => {
  const currency = textIn(data, name)?.toUpperCase() ?? null;
  if (currency !== null && !isCurrency(currency)) throw new Malformed(`data.${name}: must be a currency`);
  return currency;
};

const amountIn = (data: Fields, name: string, currency: string | null): number | null => {
  const amount = data[name] ?? null;
  if (amount === null) return null;
  if (currency === null || typeof amount !== 'number' || amount < 0 || !isAmountIn(amount, currency))
    throw new Malformed(`data.${name}: must be an amount with the decimals of its currency`);
  return toMinor(amount, currency);
};

const rateIn = (data: Fields, name: string): string | null => {
  const rate = data[name] ?? null;
  if (rate === null) return null;
  const text = typeof rate === 'number' ? String(rate) : rate;
  if (typeof text === 'string' && /^\d{1,12}(\.\d{1,20})?$/.test(text) && Number(text) > 0) return text;
  throw new Malformed(`data.${name}: must be a rate above 0`);
};

const settlementIn = (data: Fields): PaymentCallback['settlement'] => {
  const currency = currencyIn(data, 'settlementCurrency');
  const amountMinor = amountIn(data, 'settlementAmount', currency);
  if (currency === null || amountMinor === null) return null;
  return { currency, amountMinor, exchangeRate: rateIn(data, 'settlementExchangeRate') };
};

const riskIn = (data: Fields): PaymentCallback['risk'] => {
  const score = data['riskScore'] ?? null;
  if (score === null) return null;
  if (typeof score !== 'number' || score < 0 || score > 100)
    throw new Malformed('data.riskScore: must be a number from 0 to 100');
  return { score, source: textIn(data, 'riskScoreSource') ?? 'sandbox' };
};

const eventOf = (json: Fields, body: Uint8Array): PaymentCallback => {
  const given = textIn(json, 'type');
  if (given === null) throw new Malformed('type: must be the name of an event');
  const data = isObject(json['data']) ? json['data'] : {};
  const currency = currencyIn(data, 'currency');
  const outcome = textIn(data, 'outcome');
  return {
    eventId: textIn(json, 'id') ?? createHash('sha256').update(body).digest('hex'),
    type: types.find((type) => type === given) ?? 'Unknown',
    transactionId: textIn(data, 'transactionId'),
    invoiceId: textIn(data, 'invoiceId'),
    sessionId: textIn(data, 'sessionId'),
    amountMinor: amountIn(data, 'amount', currency),
    currency,
    reason: textIn(data, 'reason'),
    ...(textIn(data, 'reason') === 'expired' && { isExpired: true as const }),
    refundId: textIn(data, 'refundId'),
    disputeId: textIn(data, 'disputeId'),
    disputeOutcome: outcome === 'won' || outcome === 'lost' ? outcome : null,
    risk: riskIn(data),
    settlement: settlementIn(data),
  };
};

const parsed = (body: Uint8Array): Fields => {
  try {
    const json: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (isObject(json)) return json;
  } catch {
    // Told below, in the shop's words.
  }
  throw new Malformed('body: must be a JSON object');
};

/** Reads what the sandbox calls the shop with (docs/rules/payments.md#sandbox-callbacks). */
export const readSandboxCallback = (callback: RawCallback, secret: string): ReadCallback => {
  if (!isSigned(callback, secret)) return { kind: 'invalidSignature' };
  try {
    return { kind: 'event', event: eventOf(parsed(callback.body), callback.body) };
  } catch (error) {
    if (error instanceof Malformed) return { kind: 'malformed', message: error.message };
    throw error;
  }
};
