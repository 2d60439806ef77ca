import { expect } from 'chai';
import type { RouteCallbackDeps } from '#command/contexts/payments/callbacks/handle-callback.ts';
import {
  createCallbackRouter,
  createCallbackRouting,
} from '#command/contexts/payments/callbacks/route-callback.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentCallback } from '#ports/payment-callback.ts';
import { anyMeta } from '#test/support/engine.ts';

const nothingParked = { park: () => Promise.resolve(), applyFor: () => Promise.resolve() };
const event = { eventId: 'evt', type: 'PaymentCompleted' } as PaymentCallback;

/** What a provider is told whose event is refused so. */
const toldAfter = (code: string): Promise<string> => {
  const route = createCallbackRouter(() => Promise.reject(new Rejection(code, 'No.')), nothingParked);
  return route('sandbox', event, anyMeta()).catch((error: Rejection) => error.code);
};

/** What comes of a set-up whose method cannot be saved for this reason. */
const savedAfter = (code: string): Promise<string> => {
  const savedMethods = { finishSetUp: () => Promise.reject(new Rejection(code, 'No.')) };
  const route = createCallbackRouting({ apis: { savedMethods } } as unknown as RouteCallbackDeps);
  const told = { ...event, type: 'SetupCompleted', sessionId: 'seti_1' } as const;
  return route('stripe', told, anyMeta()).catch((error: Rejection) => error.code);
};

describe('a callback that cannot be recorded now', () => {
  it('is to be sent again while its invoice is being sold on account, or too much happens to it', async () => {
    expect(await toldAfter('payment-unknown')).to.equal('too-busy');
    expect(await toldAfter('conflict')).to.equal('too-busy');
    expect(await toldAfter('invoice-not-found')).to.equal('invoice-not-found');
  });

  it('is not where its customer has as many saved methods as can be: a repeat would not help', async () => {
    expect(await savedAfter('too-many-payment-methods')).to.equal('ignored');
    expect(await savedAfter('provider-unavailable')).to.equal('provider-unavailable');
  });
});
