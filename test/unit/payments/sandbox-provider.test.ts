import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { manualProvider } from '#adapters/payment-providers/manual-provider.ts';
import { listSandboxCharges, sandboxProvider } from '#adapters/payment-providers/sandbox-provider.ts';
import { derivedId } from '#kernel/ids.ts';
import { idNamed, noon } from '#test/support/builders/basket.ts';
import { chargeOf } from '#test/support/builders/payment.ts';

const openSandbox = async () => {
  const stateStore = createMemoryDocumentStore();
  const slept: number[] = [];
  const sleep = (milliseconds: number): Promise<void> => {
    slept.push(milliseconds);
    return Promise.resolve();
  };
  const provider = await sandboxProvider({ stateStore, clock: { now: () => noon }, sleep });
  return { provider, slept, charges: () => listSandboxCharges(stateStore) };
};

describe('the sandbox card', () => {
  it('charges, and keeps what it charged', async () => {
    const { provider, charges } = await openSandbox();
    expect((await provider.charge(chargeOf('tok_success'))).kind).to.equal('completed');
    expect(await charges()).to.deep.equal([
      {
        _id: idNamed('key'),
        invoiceId: idNamed('invoice'),
        transactionId: `sandbox-${derivedId('sandbox', idNamed('key'))}`,
        token: 'tok_success',
        amountMinor: 2640,
        currency: 'GBP',
        status: 'Completed',
        dateCreated: '2030-06-01T12:00:00.000Z',
      },
    ]);
  });

  it('never charges twice under the same key, and answers alike', async () => {
    const { provider, charges } = await openSandbox();
    const answers = await Promise.all([1, 2, 3].map(() => provider.charge(chargeOf('tok_success'))));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).to.equal(1);
    await provider.charge(chargeOf('tok_success', 'another key'));
    expect(await charges()).to.have.length(2);
  });

  for (const [token, outcome] of [
    ['tok_decline', { kind: 'refused', code: 'card_declined', message: 'The card was declined.' }],
    [
      'tok_insufficient_funds',
      { kind: 'refused', code: 'insufficient_funds', message: 'Insufficient funds.' },
    ],
    ['tok_unavailable', { kind: 'unavailable' }],
  ] as const) {
    it(`charges nothing for ${token}`, async () => {
      const { provider, charges } = await openSandbox();
      expect(await provider.charge(chargeOf(token))).to.deep.equal(outcome);
      expect(await charges()).to.deep.equal([]);
    });
  }

  it('asks again after two seconds when the first answer is lost: one charge', async () => {
    const { provider, charges, slept } = await openSandbox();
    expect((await provider.charge(chargeOf('tok_timeout'))).kind).to.equal('completed');
    expect(slept).to.deep.equal([2000]);
    expect(await charges()).to.have.length(1);
  });

  it('knows its tokens', async () => {
    const { provider } = await openSandbox();
    expect(provider.checkToken('tok_success')).to.equal(null);
    expect(provider.checkToken('4242 4242')).to.equal('unknown sandbox token');
  });
});

describe('the manual provider', () => {
  it('takes no token and charges nothing', () => {
    const provider = manualProvider();
    expect(provider.checkToken('tok_success')).to.be.a('string');
    expect(provider).to.not.have.property('charge');
  });
});
