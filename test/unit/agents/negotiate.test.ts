import { expect } from 'chai';
import type { DialectName } from '#agents/agent-request.ts';
import { offeredCapabilities, type CapabilitySettings } from '#agents/capabilities.ts';
import { negotiate } from '#agents/negotiate.ts';

type Changes = {
  readonly [Part in keyof CapabilitySettings]?: Partial<CapabilitySettings[Part]>;
};

const settings = ({ capabilities, extensions }: Changes = {}): CapabilitySettings => ({
  capabilities: {
    checkout: true,
    order: true,
    identityLinking: false,
    cart: true,
    catalog: true,
    ...capabilities,
  },
  extensions: { discount: true, fulfillment: true, buyerConsent: true, ap2Mandates: false, ...extensions },
});

const shopping = (...names: readonly string[]) => names.map((name) => `dev.ucp.shopping.${name}`);
const namesOf = (offered: readonly { readonly name: string }[]) => offered.map(({ name }) => name);
const agentWith = (version: string | null, ...names: readonly string[]) =>
  shopping(...names).map((name) => ({ name, version }));

const common = (
  agent: ReturnType<typeof agentWith>,
  { dialect = '2026-04-08', version = dialect as string, changes = {} as Changes } = {},
) =>
  namesOf(
    negotiate(
      {
        dialect: dialect as DialectName,
        version,
        capabilities: offeredCapabilities(settings(changes), dialect as DialectName),
      },
      agent,
    ),
  );

describe('what a shop offers agents (docs/rules/agents.md#capabilities)', () => {
  it('is each capability that is switched on, and its extensions', () => {
    expect(namesOf(offeredCapabilities(settings(), '2026-04-08'))).to.deep.equal(
      shopping(
        'checkout',
        'order',
        'cart',
        'catalog.search',
        'catalog.lookup',
        'discount',
        'fulfillment',
        'buyer_consent',
      ),
    );
    const others = settings({
      capabilities: { order: false, catalog: false, identityLinking: true },
      extensions: { discount: false, ap2Mandates: true },
    });
    expect(namesOf(offeredCapabilities(others, 'draft'))).to.deep.equal([
      'dev.ucp.shopping.checkout',
      'dev.ucp.common.identity_linking',
      ...shopping('cart', 'fulfillment', 'buyer_consent', 'ap2_mandate'),
    ]);
  });

  it('has no extension without checkout', () => {
    const withoutCheckout = settings({ capabilities: { checkout: false } });
    expect(namesOf(offeredCapabilities(withoutCheckout, '2026-04-08'))).to.deep.equal(
      shopping('order', 'cart', 'catalog.search', 'catalog.lookup'),
    );
  });

  it('has neither carts nor a catalogue in the older version, and discounts extend only what there is', () => {
    const offered = offeredCapabilities(settings(), '2026-01-11');
    expect(namesOf(offered)).to.deep.equal(
      shopping('checkout', 'order', 'discount', 'fulfillment', 'buyer_consent'),
    );
    expect(offered.find(({ name }) => name.endsWith('discount'))?.parents).to.deep.equal(
      shopping('checkout'),
    );
  });
});

describe('a negotiated manifest (docs/rules/agents.md#negotiation)', () => {
  it('keeps what both sides name in the same version', () => {
    const agent = [
      ...agentWith('2026-04-08', 'checkout', 'fulfillment', 'unheard_of'),
      ...agentWith('2026-01-11', 'order'),
    ];
    expect(common(agent)).to.deep.equal(shopping('checkout', 'fulfillment'));
    expect(common(agentWith('2026-01-11', 'checkout', 'cart'), { dialect: '2026-01-11' })).to.deep.equal(
      shopping('checkout'),
    );
  });

  it('keeps an entry without a version, and one of several entries that fits', () => {
    const agent = [
      ...agentWith(null, 'order'),
      ...agentWith('2026-01-11', 'checkout'),
      ...agentWith('2026-04-08', 'checkout'),
    ];
    expect(common(agent)).to.deep.equal(shopping('checkout', 'order'));
  });

  it('drops an extension with the last of its parents', () => {
    expect(common(agentWith('2026-04-08', 'cart', 'discount', 'fulfillment'))).to.deep.equal(
      shopping('cart', 'discount'),
    );
    expect(common(agentWith('2026-04-08', 'discount', 'fulfillment', 'buyer_consent'))).to.deep.equal([]);
  });

  it('compares no versions with those of a draft', () => {
    const draft = { dialect: 'draft', version: '2026-10-draft' };
    expect(common(agentWith('2026-04-08', 'checkout'), draft)).to.deep.equal(shopping('checkout'));
  });
});
