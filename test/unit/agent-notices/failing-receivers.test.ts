import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { noticeChecks } from '#command/contexts/agent-protocol/notice-checks.ts';
import { declareNoticeLog, failingReceivers } from '#runtime/notice-log.ts';
import { agentNoticesCollection as collection, newNotice, type AgentNotice } from '#topics/agent-notice.ts';
import { idNamed } from '#test/support/builders/basket.ts';

const at = Date.parse('2026-11-27T09:00:00.000Z');
const agent = 'https://pia.example/profile.json';
const targetUrl = 'https://pia.example/notices';

/** A notice of an order, each in a queue of its receiver. */
const notice = (position: number, changes: Partial<AgentNotice>): AgentNotice => {
  const invoiceId = idNamed(`order ${position}`);
  const { requestBody, dialect } = { requestBody: 'sealed', dialect: '2026-04-08' };
  const told = { eventType: 'order_placed', sessionId: idNamed('session'), subject: null } as const;
  const queued = {
    ...told,
    _id: idNamed(`notice ${position}`),
    invoiceId,
    position,
    agent,
    requestBody,
    dialect,
  };
  return {
    ...newNotice({ ...queued, targetUrl, ...changes, occurredAt: new Date(at).toISOString() }, at),
    ...changes,
  };
};
const givenUp = (position: number, changes: Partial<AgentNotice> = {}): AgentNotice =>
  notice(position, {
    status: 'Abandoned',
    isOpen: false,
    attemptNumber: 7,
    errorMessage: 'HTTP 500',
    ...changes,
  });
const arrived = (position: number): AgentNotice =>
  notice(position, { status: 'Succeeded', isOpen: false, attemptNumber: 1 });

const found = async (...rows: readonly AgentNotice[]) => {
  const stateStore = createMemoryDocumentStore();
  await declareNoticeLog(stateStore);
  await stateStore.write(rows.map((put) => ({ collection, put })));
  const [check] = noticeChecks({ failingReceivers: () => failingReceivers(stateStore) });
  const all = await Array.fromAsync(check?.look() ?? []);
  return all.filter((one) => one !== null);
};

describe('agents that do not take what they are told (docs/rules/agent-notices.md#receivers-that-fail)', () => {
  it('are found by the last notice that was given up, once for all their orders', async () => {
    const id = idNamed('notice 3');
    expect(await found(arrived(1), givenUp(2), givenUp(3, { errorMessage: 'timeout' }))).to.deep.equal([
      {
        id,
        name: agent,
        description: `${targetUrl}: timeout`,
        editPath: `/agent-deliveries/${id}`,
        imageUrl: null,
      },
    ]);
  });

  it('are fine again once a later notice has arrived, of any order', async () => {
    for (const later of [3, 4, 5, 6]) expect(await found(givenUp(2), arrived(later))).to.deep.equal([]);
  });

  it('are told apart by their addresses', async () => {
    const elsewhere = { targetUrl: 'https://pia.example/others' };
    const names = (await found(givenUp(1), givenUp(2, elsewhere), arrived(3))).map(({ id }) => id);
    expect(names).to.deep.equal([idNamed('notice 2')]);
  });

  it('are not judged by what was held back or is tried still, nor by sessions, which strangers begin', async () => {
    const rows = [
      givenUp(1, { attemptNumber: 1, errorMessage: 'The person it is about has been forgotten' }),
      notice(2, { status: 'Retrying', attemptNumber: 6 }),
      givenUp(3, { eventType: 'checkout_expired', invoiceId: null }),
    ];
    expect(await found(...rows)).to.deep.equal([]);
  });
});
