import { expect } from 'chai';
import type { AgentRequest } from '#agents/agent-request.ts';
import { errorReply } from '#http/errors.ts';
import { ProtocolRejection } from '#http/protocol-rejection.ts';
import { agent as surface } from '#http/surfaces/agent.ts';
import { createGetOrder, orderViews } from '#projection/contexts/agent-protocol/orders/get-order.ts';
import { datedVersions, type DatedVersion } from '#test/support/agents/answer-schemas.ts';
import { idNamed } from '#test/support/builders/basket.ts';

const HEAD = 42;

// docs/rules/agent-orders.md#reading
describe('Reading an order of an agent', () => {
  /** `lags`: the views that do not come up to the head in time. */
  const asked = async (version: DatedVersion, lags: readonly string[], id = idNamed('invoice')) => {
    const waited: (readonly [string, number])[] = [];
    let reads = 0;
    const getOrder = createGetOrder({
      store: { head: () => Promise.resolve(HEAD) },
      waitForPosition: (view: string, position: number) => {
        waited.push([view, position]);
        return Promise.resolve(lags.includes(view) ? 1 : null);
      },
      reader: {
        get: () => {
          reads++;
          return Promise.resolve(null);
        },
      },
      orderLinkOf: () => '',
    } as unknown as Parameters<typeof createGetOrder>[0]);
    const agent: AgentRequest = {
      ...{
        identity: null,
        member: null,
        ownVersion: '2026-04-08',
        requestedVersion: version,
        dialect: version,
      },
    };
    const request = { agent, id, baseUrl: 'https://shop.example' };
    const answer = await getOrder(request as Parameters<typeof getOrder>[0]);
    if (!('error' in answer)) throw new Error('there is no order');
    return { reply: errorReply(surface, new ProtocolRejection(answer.error), 'c1', agent), waited, reads };
  };

  it('waits for no view where the id is malformed', async () => {
    const { reply, waited, reads } = await asked('2026-04-08', [], 'INV-0001');
    expect([reply.status, waited, reads]).to.deep.equal([404, [], 0]);
  });

  for (const version of datedVersions) {
    for (const { name } of orderViews)
      it(`is 503, to be asked again in a second, while ${name} is behind the log, in ${version}`, async () => {
        const { reply, reads } = await asked(version, [name]);
        expect([reply.status, reply.headers?.['Retry-After'], reads]).to.deep.equal([503, '1', 0]);
        expect(JSON.parse(reply.text ?? '')).to.include({
          ...{ code: 'service_unavailable', error: 'service_unavailable' },
        });
      });

    it(`waits for both views to reach the log as it was, then says what they have, in ${version}`, async () => {
      const { reply, waited, reads } = await asked(version, []);
      expect(waited).to.deep.equal(orderViews.map(({ name }) => [name, HEAD]));
      expect([reply.status, reply.code, reads]).to.deep.equal([404, 'not_found', 1]);
    });
  }
});
