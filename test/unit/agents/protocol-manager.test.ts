import { expect } from 'chai';
import type { AdapterPart } from '#agents/commerce-protocol.ts';
import { createProtocolManager } from '#agents/protocol-manager.ts';

const part = (alias: string, more: Partial<AdapterPart> = {}): AdapterPart => ({
  alias,
  enabled: true,
  ...more,
});
const manifest =
  (result: string): NonNullable<AdapterPart['manifest']> =>
  async ({ agent: { dialect } }) => ({ httpStatus: 200, dialect, result });
const request = {
  agent: { identity: null, member: null, ownVersion: 'x', requestedVersion: null, dialect: 'draft' },
  baseUrl: 'https://shop.example',
} as const;
const answered = (result: string) => ({ httpStatus: 200, dialect: 'draft', result });
const noOrder: NonNullable<AdapterPart['getOrder']> = async () => ({
  dialect: 'draft',
  error: { code: 'not_found', text: 'None.' },
});

describe('The protocols of a shop', () => {
  it('stand side by side, and are found in whatever case', async () => {
    const manager = createProtocolManager();
    manager.register(part('ucp', { manifest: manifest('first') }));
    manager.register(part('Other', { manifest: manifest('second') }));
    expect(manager.aliases()).to.deep.equal(['ucp', 'Other']);
    expect(await manager.find('UCP')?.manifest?.(request)).to.deep.equal(answered('first'));
    expect(await manager.find('other')?.manifest?.(request)).to.deep.equal(answered('second'));
    expect(manager.find('third')).to.equal(null);
  });

  it('are put together from what each part of the shop carries out of them', () => {
    const manager = createProtocolManager();
    manager.register(part('ucp', { manifest: manifest('all') }));
    manager.register(part('UCP', { getOrder: noOrder }));
    expect(manager.find('ucp')).to.include.keys('manifest', 'getOrder');
    expect(() => manager.register(part('ucp', { getOrder: noOrder }))).to.throw(
      'getOrder is registered twice',
    );
  });

  it('are asked for what they carry out when it is asked for, whenever they came', async () => {
    const manager = createProtocolManager();
    const ask = manager.asking('Notes', 'manifest');
    manager.register(part('ucp', { manifest: manifest('first') }));
    const text = 'This shop does not offer that to agents.';
    expect(await ask(request)).to.deep.equal({ dialect: 'draft', error: { code: 'not_found', text } });
    manager.register(part('notes', { manifest: manifest('second') }));
    expect(await ask(request)).to.deep.equal(answered('second'));
  });

  it('are not found once they are switched off', () => {
    const manager = createProtocolManager();
    manager.register(part('ucp', { enabled: false }));
    expect(manager.find('ucp')).to.equal(null);
  });
});
