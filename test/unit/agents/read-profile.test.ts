import { expect } from 'chai';
import { readProfile } from '#agents/read-profile.ts';

const uri = 'https://agent.example/.well-known/ucp';
const read = (document: unknown) => readProfile(uri, JSON.stringify(document));
const profileOf = (document: unknown) => {
  const found = read(document);
  if (found.kind === 'malformed') throw new Error(found.problem);
  return found.profile;
};
const problemOf = (text: string) => {
  const found = readProfile(uri, text);
  return found.kind === 'malformed' ? found.problem : null;
};

const key = { kid: 'k1', kty: 'EC', crv: 'P-256', x: 'xx', y: 'yy' };

describe('the profile of an agent (docs/rules/agents.md#profiles)', () => {
  it('has a name of 250 characters at most, and never half a letter', () => {
    const nameOf = (name: string) => profileOf({ name, ucp: { version: '2026-04-08' } }).name;
    expect(nameOf('a'.repeat(100_000))).to.equal('a'.repeat(250));
    expect(nameOf(`${'a'.repeat(249)}😀`)?.isWellFormed()).to.equal(true);
  });

  it('has 100 keys and capabilities at most, and of their configuration only what is read is kept', () => {
    const ucp = { version: '2026-04-08' };
    const keys = (count: number) => ({ ucp, signing_keys: Array.from({ length: count }, () => key) });
    expect(profileOf(keys(100)).signingKeys).to.have.lengthOf(100);
    expect(read(keys(101))).to.deep.include({ problem: 'signing_keys: must have 100 entries or less' });
    const config = { supports_multi_group: true, webhook_url: 7, nested: [[[]]] };
    const capabilities = (count: number) => ({ a: Array.from({ length: count }, () => ({ config })) });
    const [first] = profileOf({ ucp: { ...ucp, capabilities: capabilities(100) } }).capabilities;
    expect(first?.config).to.deep.equal({ supports_multi_group: true });
    expect(read({ ucp: { ...ucp, capabilities: capabilities(101) } })).to.deep.include({
      problem: 'ucp.capabilities: must have 100 entries or less',
    });
  });

  it('has a map of capabilities, and keys beside `ucp`', () => {
    const config = { webhook_url: 'https://agent.example/orders' };
    const document = {
      name: 'Shopper',
      ucp: {
        version: '2026-04-08',
        capabilities: {
          'dev.ucp.shopping.order': [{ version: '2026-04-08', config }],
          'dev.ucp.shopping.discount': [
            { version: '2026-04-08', extends: ['dev.ucp.shopping.checkout', 'dev.ucp.shopping.cart'] },
            { version: '2026-01-11', extends: 'dev.ucp.shopping.checkout' },
          ],
        },
      },
      signing_keys: [{ ...key, key_ops: ['verify'] }],
    };
    expect(profileOf(document)).to.deep.equal({
      uri,
      name: 'Shopper',
      version: '2026-04-08',
      capabilities: [
        { name: 'dev.ucp.shopping.order', version: '2026-04-08', config },
        { name: 'dev.ucp.shopping.discount', version: '2026-04-08', config: {} },
        { name: 'dev.ucp.shopping.discount', version: '2026-01-11', config: {} },
      ],
      signingKeys: [key],
    });
  });

  it('has a list of capabilities in the older shape, or keys below `ucp`, or neither', () => {
    const capabilities = [{ name: 'dev.ucp.shopping.checkout' }];
    expect(profileOf({ ucp: { version: '2026-01-11', capabilities, signing_keys: [key] } })).to.deep.equal({
      uri,
      name: null,
      version: '2026-01-11',
      capabilities: [{ name: 'dev.ucp.shopping.checkout', version: null, config: {} }],
      signingKeys: [key],
    });
    expect(profileOf({ ucp: { version: '2026-04-08' } })).to.deep.include({
      capabilities: [],
      signingKeys: [],
    });
  });

  for (const [text, problem] of [
    ['<html></html>', 'it is not JSON'],
    ['', 'it is not JSON'],
    ['[]', 'the document: must be an object'],
    ['null', 'the document: must be an object'],
    ['{}', 'ucp: must be an object'],
    ['{"ucp":[]}', 'ucp: must be an object'],
    ['{"ucp":{}}', 'ucp.version: must be a text'],
    ['{"ucp":{"version":20260408}}', 'ucp.version: must be a text'],
    ['{"ucp":{"version":"v","capabilities":"all"}}', 'ucp.capabilities: must be an object'],
    ['{"ucp":{"version":"v","capabilities":{"a.b":{}}}}', 'ucp.capabilities.a.b: must be an array'],
    ['{"ucp":{"version":"v","capabilities":{"a.b":[[]]}}}', 'ucp.capabilities.a.b[0]: must be an object'],
    ['{"ucp":{"version":"v","capabilities":[{}]}}', 'ucp.capabilities[0].name: must be a text'],
    [
      '{"ucp":{"version":"v","capabilities":[{"name":"a.b","config":[]}]}}',
      'ucp.capabilities[0].config: must be an object',
    ],
    ['{"ucp":{"version":"v"},"signing_keys":{}}', 'signing_keys: must be an array'],
    ['{"ucp":{"version":"v","signing_keys":[{"kty":"EC"}]}}', 'ucp.signing_keys[0].kid: must be a text'],
  ] as const)
    it(`is malformed as ${text === '' ? 'nothing' : text}`, () => {
      expect(problemOf(text)).to.equal(problem);
    });
});
