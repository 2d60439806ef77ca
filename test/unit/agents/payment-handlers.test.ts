import { expect } from 'chai';
import type { PaymentIntegration } from '#ports/payment-provider.ts';
import { handledMethods, type HandledProvider } from '#agents/payment-handlers.ts';

const method = (
  methodAlias: string,
  integration: PaymentIntegration = 'Redirect',
  methodType: string | null = null,
) => ({
  methodAlias,
  integration,
  methodType,
});
const provider = (alias: string, more: Partial<HandledProvider> = {}): HandledProvider => ({
  alias,
  methods: [method('page')],
  direct: null,
  ...more,
});
const handled = (
  providers: readonly HandledProvider[],
  { storeName = 'Tillroll', hasMembers = false } = {},
) => handledMethods(providers, { schemaBaseUrl: 'https://ucp.example', storeName, hasMembers });

describe('ways to pay for agents (docs/rules/agents.md#payment-handlers)', () => {
  it('are the methods of the shop in its order, under names of their own', () => {
    const card = provider('acme-pay', {
      methods: [method('card', 'HostedFields'), method('quick', 'Widget', 'wallet'), method('page')],
    });
    const told = handled([card, provider('manual')]);
    expect(told.map(({ handler: { id, name, instruments } }) => [id, name, instruments])).to.deep.equal([
      ['acme-pay:card', 'com.tillroll.acme_pay', [{ type: 'card' }]],
      ['acme-pay:quick', 'com.tillroll.acme_pay', [{ type: 'wallet' }]],
      ['acme-pay:page', 'com.tillroll.acme_pay', [{ type: 'page' }]],
      ['manual:page', 'com.tillroll.manual', [{ type: 'page' }]],
    ]);
    expect(told[1]).to.include({ providerAlias: 'acme-pay', methodAlias: 'quick' });
    expect(told[0]?.handler).to.deep.include({
      specUrl: 'https://ucp.example/specification/payment-handler-guide',
      schemaUrl: 'https://ucp.example/schemas/payment_handler.json',
      config: {},
    });
  });

  for (const [storeName, segment] of [
    ['Café & Söhne', 'cafe_sohne'],
    ['7 Seas', 'shop_7_seas'],
    ['店', 'shop'],
  ] as const)
    it(`are named after ${storeName} in letters of the reverse-domain pattern`, () => {
      const [told] = handled([provider('acme')], { storeName });
      expect(told?.handler.name).to.equal(`com.${segment}.acme`);
      expect(told?.handler.name).to.match(/^[a-z][a-z0-9]*(?:\.[a-z][a-z0-9_]*)+$/);
    });

  it('say what their provider says of itself', () => {
    const agentHandler = {
      handlerId: 'acme_pay',
      handlerName: 'com.acme.pay',
      specUrl: 'https://acme.example/spec',
      schemaUrl: 'https://acme.example/schema.json',
      config: () => ({ publishable_key: 'pk_1' }),
    };
    expect(handled([provider('acme', { agentHandler })])[0]?.handler).to.deep.include({
      id: 'acme_pay',
      name: 'com.acme.pay',
      specUrl: 'https://acme.example/spec',
      schemaUrl: 'https://acme.example/schema.json',
      config: { publishable_key: 'pk_1' },
    });
  });

  it('are on account only where agents act for members', () => {
    const onAccount = provider('purchaseorder', { direct: { kind: 'account' } });
    expect(handled([onAccount])).to.deep.equal([]);
    expect(handled([onAccount], { hasMembers: true })).to.have.lengthOf(1);
  });
});
