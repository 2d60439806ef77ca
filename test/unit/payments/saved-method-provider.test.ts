import { expect } from 'chai';
import { createForgetting } from '#command/contexts/payment-methods/forget-methods.ts';
import type { SavedMethodCommand } from '#command/contexts/payment-methods/saved-method.commands.ts';
import {
  createSavedMethods,
  type SavedMethodDeps,
} from '#command/contexts/payment-methods/saved-methods.actions.ts';
import { savedMethodsStream } from '#command/contexts/payment-methods/saved-methods.stream.ts';
import { Rejection } from '#kernel/rejection.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { anyMeta, startTestEngine, testStreams } from '#test/support/engine.ts';

const meta = { correlationId: 'c', causationId: 'c', actor: { kind: 'system', id: 'test' } } as const;

/** A shop whose provider keeps methods, and answers as it is told. */
const savingAt = (answer: () => Promise<never>) => {
  const provider = { alias: 'silent', vault: { setUp: answer, confirm: answer } };
  const state = { status: 'unknown', providerCustomers: {} };
  return createSavedMethods({
    apis: { payments: { vaultProviders: () => [provider] } },
    streams: { load: () => Promise.resolve({ state }) },
    rows: {
      findSetup: () => Promise.resolve({ customerId: 'ada', providerCustomerId: null }),
      keepWish: () => Promise.resolve(),
    },
    providerTimeoutMilliseconds: 1,
  } as unknown as SavedMethodDeps);
};

const never = () => new Promise<never>(() => {});
const fails = () => Promise.reject(new Error('the line was cut'));

const visa = {
  providerMethodId: 'pm_1',
  providerCustomerId: null,
  methodType: 'Card',
  cardBrand: 'visa',
  last4: '4242',
  expiryMonth: 12,
  expiryYear: 2030,
  billingName: null,
  billingEmail: null,
  isVerified: true,
} as const;

// docs/rules/saved-methods.md#removed
describe('A provider that is told to forget a method', () => {
  for (const [what, remove] of [
    ['says nothing', never],
    ['is cut off', fails],
  ] as const)
    it(`holds nobody up, and is told again: one that ${what}`, async () => {
      const { engine, clock } = await startTestEngine();
      const streams = testStreams(engine, clock);
      const [customerId, methodId] = [idNamed('ada'), idNamed('visa')];
      const kept = { provider: 'silent', method: visa, setAsDefault: false, consentIpAddress: null };
      const send = (command: SavedMethodCommand) =>
        streams.send(savedMethodsStream, customerId, command, anyMeta());
      await send({ type: 'SavePaymentMethod', methodId, ...kept });
      await send({ type: 'RemovePaymentMethod', methodId });
      const forgetting = createForgetting({
        streams,
        clock,
        log: { warn: () => undefined },
        apis: { payments: { providerNamed: () => ({ vault: { remove } }) } },
        providerTimeoutMilliseconds: 1,
      } as unknown as Parameters<typeof createForgetting>[0]);
      await forgetting.resume(customerId, anyMeta());
      const { toForget } = (await streams.load(savedMethodsStream, customerId)).state;
      expect(toForget).to.have.length(1);
    });
});

// docs/rules/saved-methods.md
describe('A provider that does not say whether it keeps a method', () => {
  for (const [what, answer] of [
    ['says nothing', never],
    ['is cut off', fails],
  ] as const)
    it(`is away for now, to be asked again: one that ${what}`, async () => {
      const saving = savingAt(answer);
      const address = {
        providerAlias: 'silent',
        returnUrl: '/',
        cancelUrl: '/',
        shop: 'https://shop.example',
      };
      const confirmation = { providerAlias: 'silent', setupSessionId: 's' };
      for (const ask of [
        () => saving.setUp('ada', address, '', meta),
        () => saving.confirm('ada', confirmation, '', meta),
      ]) {
        const failure: unknown = await ask().catch((error: unknown) => error);
        expect(failure).to.be.instanceOf(Rejection).and.include({ code: 'provider-unavailable' });
      }
    });
});
