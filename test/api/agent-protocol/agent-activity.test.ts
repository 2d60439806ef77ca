import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { agentAt, wanting } from '#test/support/agents/asking-agent.ts';
import { TestShop } from '#test/support/shop.ts';

// docs/rules/agent-sessions.md#backoffice
describe('What agents do here', () => {
  let shop: TestShop;
  let mug: string;
  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 1000 });
  });
  after(() => shop.close());

  const profileOf = (name: string) => `${shop.base}/.well-known/ucp-test-agent/${name}`;
  const asAgent = (method: 'POST' | 'PUT', path: string, body?: unknown, name = 'one') =>
    agentAt(shop.base, { name }).call(method, `/api/v1${path}`, body);
  const goods = (quantity: number) => ({ line_items: wanting([mug, quantity]) });
  const begin = async (path: string, name = 'one'): Promise<string> => {
    const asked = { ...goods(2), buyer: { first_name: 'Ada' } };
    const { status, body } = await asAgent('POST', path, asked, name);
    expect(status).to.equal(201);
    return body.id as string;
  };
  const shown = (path: string) => shop.shown(path);
  const idsIn = async (query: string): Promise<readonly string[]> =>
    (await shown(query)).items.map(({ id }: { id: string }) => id);

  it('is listed, those begun last first, by status, agent and what is searched for', async () => {
    const first = await begin('/checkout-sessions', 'early');
    const second = await begin('/checkout-sessions', 'late');
    const cancelled = await asAgent('POST', `/checkout-sessions/${first}/cancel`, undefined, 'early');
    expect(cancelled.status).to.equal(200);
    const of = (name: string, more = '') =>
      `/agent-sessions?agent=${encodeURIComponent(profileOf(name))}${more}`;
    const both = (await idsIn('/agent-sessions')).filter((id) => [first, second].includes(id));
    expect(both).to.deep.equal([second, first]);
    expect(await idsIn(of('early', '&status=cancelled'))).to.deep.equal([first]);
    expect(await idsIn(of('early', '&status=active'))).to.deep.equal([]);
    expect(await idsIn(of('late', '&status=active'))).to.deep.equal([second]);
    expect(await idsIn('/agent-sessions?search=TEST-agent/late')).to.deep.equal([second]);
    expect(await idsIn(`/agent-sessions?search=${first.slice(0, 13)}`)).to.include(first);
    const third = await begin('/checkout-sessions', 'early');
    expect(await idsIn(of('early', '&pageSize=1&page=2'))).to.deep.equal([first]);
    expect(await idsIn(of('early', '&pageSize=1&page=1'))).to.deep.equal([third]);
    const [row] = (await shown(of('early', '&status=cancelled'))).items;
    expect(row).to.deep.include({
      ...{ id: first, agent: profileOf('early'), isVerified: false, dialect: '2026-04-08' },
      ...{ status: 'cancelled', lineCount: 1, itemCount: 2, cartId: null },
      ...{ invoiceId: null, invoiceNumber: null },
    });
    const refused = await shop.admin.get('/backoffice/api/v1/agent-sessions?status=lost');
    expect(refused.status).to.equal(400);
  });

  it('is shown in full: what was asked for, and what happened, by whom', async () => {
    const id = await begin('/checkout-sessions');
    await asAgent('PUT', `/checkout-sessions/${id}`, goods(3));
    const { body, timeline, invoice } = await shown(`/agent-sessions/${id}`);
    expect(body.lines[0]).to.deep.include({ itemId: mug, quantity: 3 });
    expect(body.buyer).to.deep.include({ firstName: 'Ada' });
    const events = timeline.map(({ event }: { event: string }) => event);
    expect(events[0]).to.equal('AgentSessionStarted');
    expect(events).to.include.members(['AgentSessionBuyerNamed', 'AgentSessionLinesChanged']);
    expect(new Set(timeline.map(({ by }: { by: string }) => by))).to.deep.equal(new Set([profileOf('one')]));
    expect(invoice).to.equal(null);
    const none = await shop.admin.get(`/backoffice/api/v1/agent-sessions/${newId()}`);
    expect(none.status).to.equal(404);
  });

  it('shows carts likewise', async () => {
    const id = await begin('/carts');
    expect(await idsIn('/agent-carts?status=active')).to.deep.equal([id]);
    const { body, timeline, status, itemCount } = await shown(`/agent-carts/${id}`);
    expect([status, itemCount, body.lines[0].itemId]).to.deep.equal(['active', 2, mug]);
    expect(timeline[0]).to.deep.include({ event: 'AgentCartStarted', by: profileOf('one') });
    await asAgent('POST', `/carts/${id}/cancel`);
    expect(await idsIn('/agent-carts?status=cancelled')).to.deep.equal([id]);
  });
});
