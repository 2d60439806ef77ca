import { expect } from 'chai';
import {
  createSavedMethods,
  type SavedMethodDeps,
} from '#command/contexts/payment-methods/saved-methods.actions.ts';
import { Rejection } from '#kernel/rejection.ts';

const meta = { correlationId: 'c', causationId: 'c', actor: { kind: 'system', id: 'test' } } as const;

/** A shop whose provider keeps methods, and answers as it is told. */
const savingAt = (answer: () => Promise<never>) => {
  const provider = { alias: 'silent', vault: { setUp: answer, confirm: answer } };
  const state = { status: 'unknown', providerCustomers: {} };
  return createSavedMethods({
    neighbours: { payments: { vaultProviders: () => [provider] } },
    streams: { load: () => Promise.resolve({ state }) },
    rows: { findSetup: () => Promise.resolve({ providerCustomerId: null }) },
    providerTimeoutMilliseconds: 1,
  } as unknown as SavedMethodDeps);
};

const never = () => new Promise<never>(() => {});
const fails = () => Promise.reject(new Error('the line was cut'));

// docs/rules/saved-methods.md
describe('A provider that does not say whether it keeps a method', () => {
  for (const [what, answer] of [
    ['says nothing', never],
    ['is cut off', fails],
  ] as const)
    it(`is away for now, to be asked again: one that ${what}`, async () => {
      const saving = savingAt(answer);
      const address = { providerAlias: 'silent', returnUrl: '/', cancelUrl: '/' };
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
