import { expect } from 'chai';
import { expireSessions } from '#command/contexts/agent-protocol/sessions/expire-agent-sessions.job.ts';
import { createFollowSales } from '#command/contexts/agent-protocol/sessions/follow-sales.ts';
import { agentSessions } from '#command/contexts/agent-protocol/sessions/agent-session.stream.ts';
import type { AgentSessionCommand } from '#command/contexts/agent-protocol/sessions/agent-session.commands.ts';
import type { AgentPaymentsApi } from '#command/contexts/payments/agents/agent-payments.commands.ts';
import { createOpenSessions } from '#command/contexts/agent-protocol/sessions/open-sessions.ts';
import type { DomainEvent, Recorded } from '#kernel/event.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { applyEvent } from '#reference/reference-part.ts';
import { invoiceBalance } from '#values/invoice-balance.ts';
import { streamOf } from '#values/stream-name.ts';
import {
  minutesLater,
  startCompletion,
  startSession,
  updateSession,
} from '#test/support/builders/agent-session.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { anyMeta, startTestEngine, testStreams } from '#test/support/engine.ts';

const log = { warn: () => undefined };
const reach = (): Promise<void> => Promise.resolve();
const pace = { next: () => Promise.resolve(100) };
const at = (minutes: number): number => Date.parse(minutesLater(minutes));

/** A process that knows of its sessions what it has sent, and others of the same log. */
const openShop = async () => {
  const { engine, another, store } = await startTestEngine();
  const processes = [engine, another()].map((one) => ({
    streams: testStreams(one, { now: () => at(0) }),
    openSessions: createOpenSessions(),
  }));
  const [first, other] = processes;
  if (!first || !other) throw new Error('no process');
  let position = 0;
  const told = (stream: string, event: DomainEvent): void => {
    position++;
    for (const { openSessions } of processes)
      applyEvent(openSessions, { ...event, stream, position } as Recorded);
  };
  const apisOf = (paidByNow: AgentPaymentsApi['paidByNow']) => ({ payments: { paidByNow } });
  return {
    ...{ first, other },
    told,
    following: (paidByNow: AgentPaymentsApi['paidByNow']) =>
      createFollowSales({
        ...first,
        ...{ apis: apisOf(paidByNow), clock: { now: () => at(61) }, ttlMinutes: 360, reach, log },
      }),
    sessionNow: async (id: string) => (await first.streams.load(agentSessions, id)).state,
    send: async (id: string, command: AgentSessionCommand): Promise<void> => {
      const { events } = await first.streams.send(agentSessions, id, command, anyMeta());
      for (const event of events) told(streamOf.agentSession(id), event);
    },
    jobs: processes.map((one) => expireSessions({ ...one, reach, pace, tellNews: reach, log })),
    statusOf: async (id: string) => (await first.streams.load(agentSessions, id)).state.status,
    expiries: async () =>
      (await store.readAll(0)).filter(({ type }) => type === 'AgentSessionExpired').length,
  };
};
type Shop = Awaited<ReturnType<typeof openShop>>;

const start = async (shop: Shop, count: number, expiresAt: string): Promise<readonly string[]> => {
  const ids = Array.from({ length: count }, (_, index) => idNamed(`${expiresAt} ${index}`));
  await Promise.all(
    ids.map((id) => shop.send(id, startSession({ basketId: idNamed(`basket ${id}`), expiresAt }))),
  );
  return ids;
};

// docs/rules/agent-sessions.md#expiry
describe('The job expire-agent-sessions', () => {
  it('ends each session whose time is over once, whoever else does, and no other', async () => {
    const shop = await openShop();
    await start(shop, 300, minutesLater(60));
    const [later = ''] = await start(shop, 1, minutesLater(61));
    const [paying = ''] = await start(shop, 1, minutesLater(30));
    await shop.send(paying, startCompletion(1));

    const runs = await Promise.all(shop.jobs.map((job) => job.runOnce(at(60))));
    expect(runs.reduce((sum, { expired }) => sum + expired, 0)).to.equal(300);
    expect(await shop.expiries()).to.equal(300);
    expect([await shop.statusOf(later), await shop.statusOf(paying)]).to.deep.equal(['active', 'active']);
    expect(await shop.jobs[0]?.runOnce(at(61))).to.include({ expired: 1 });
  });

  it('leaves open what another process has extended or begun to complete in the very moment that it was due', async () => {
    const shop = await openShop();
    const [extended = '', paying = '', plain = ''] = await start(shop, 3, minutesLater(60));
    const { streams } = shop.other;
    const changes = [
      {
        id: extended,
        events: (await streams.send(agentSessions, extended, updateSession(59), anyMeta())).events,
      },
      {
        id: paying,
        events: (await streams.send(agentSessions, paying, startCompletion(59), anyMeta())).events,
      },
    ];
    expect(await shop.jobs[0]?.runOnce(at(60))).to.deep.equal({ expired: 1, kept: 2, failed: 0 });
    expect(await Promise.all([extended, paying, plain].map(shop.statusOf))).to.deep.equal([
      ...['active', 'active', 'expired'],
    ]);
    for (const { id, events } of changes)
      for (const event of events) shop.told(streamOf.agentSession(id), event);
    expect(await shop.jobs[0]?.runOnce(at(61))).to.deep.equal({ expired: 0, kept: 0, failed: 0 });
    expect(await shop.jobs[0]?.runOnce(at(59 + 6 * 60))).to.deep.equal({ expired: 1, kept: 0, failed: 0 });
  });

  it('ends in the next process what it was killed before', async () => {
    const shop = await openShop();
    await start(shop, 200, minutesLater(60));
    let begun = 0;
    const { openSessions, streams } = shop.first;
    const killed = {
      load: streams.load,
      send: ((...sent) =>
        ++begun > 120 ? new Promise(() => undefined) : streams.send(...sent)) as typeof streams.send,
    };
    void expireSessions({ openSessions, streams: killed, reach, pace, tellNews: reach, log }).runOnce(at(60));
    while (begun <= 120) await new Promise(setImmediate);
    await shop.jobs[1]?.runOnce(at(60));
    expect(await shop.expiries()).to.equal(200);
  });

  it('leaves what an engine that is away keeps from ending to the next pass', async () => {
    const shop = await openShop();
    await start(shop, 3, minutesLater(60));
    const { openSessions, streams } = shop.first;
    const away = {
      load: streams.load,
      send: () => Promise.reject(new EngineUnavailable('The event store is away.')),
    };
    const stuck = expireSessions({ openSessions, streams: away, reach, pace, tellNews: reach, log });
    expect(await stuck.runOnce(at(60))).to.deep.equal({ expired: 0, kept: 0, failed: 3 });
    expect(await shop.jobs[0]?.runOnce(at(60))).to.deep.equal({ expired: 3, kept: 0, failed: 0 });
  });

  it('looks at baskets of which an order was begun, and at no others', async () => {
    const shop = await openShop();
    const [plain = '', ordered = ''] = await start(shop, 2, minutesLater(60));
    shop.told(streamOf.basket(idNamed(`basket ${ordered}`)), {
      type: 'OrderPlacementStarted',
      data: {},
    } as DomainEvent);
    const { openSessions, streams } = shop.first;
    const loaded: string[] = [];
    const watched = {
      send: streams.send,
      load: ((definition, id) => {
        loaded.push(id);
        return streams.load(definition, id);
      }) as typeof streams.load,
    };
    const job = expireSessions({ openSessions, streams: watched, reach, pace, tellNews: reach, log });
    expect(await job.runOnce(at(60))).to.deep.equal({ expired: 2, kept: 0, failed: 0 });
    expect(loaded).to.include.members([ordered, idNamed(`basket ${ordered}`)]);
    expect(loaded).not.to.include(plain);
  });

  it('leaves a session to its sale, of which it is told once', async () => {
    const shop = await openShop();
    const [sessionId = ''] = await start(shop, 1, minutesLater(60));
    const sold = invoice('sale', { content: { basketId: idNamed(`basket ${sessionId}`) } });
    shop.told(streamOf.invoice(idNamed('sale')), sold.confirmed(invoiceBalance(2640, 2640, 0)));
    expect(await shop.jobs[0]?.runOnce(at(60))).to.include({ expired: 0 });

    const sales = shop.following(() => Promise.resolve(null));
    await sales.run();
    expect(await shop.statusOf(sessionId)).to.equal('completed');
    await sales.stop();
  });
});

// docs/rules/agent-sessions.md#completing
describe('A payment that is awaited', () => {
  const invoiceId = idNamed('awaited invoice');
  const awaiting = async (from: 'buyer' | 'provider') => {
    const shop = await openShop();
    const [sessionId = ''] = await start(shop, 1, minutesLater(60));
    await shop.send(sessionId, startCompletion(1));
    const { completionId } = startCompletion(1);
    const continueUrl = from === 'buyer' ? 'https://pay.example/3ds' : null;
    const now = minutesLater(2);
    await shop.send(sessionId, { type: 'AwaitPayment', completionId, invoiceId, from, continueUrl, now });
    return { shop, sessionId };
  };

  it('is asked about once it is awaited, and with all that happens to its invoice', async () => {
    const { shop, sessionId } = await awaiting('buyer');
    const asked: string[] = [];
    const sales = shop.following((id, since) => {
      expect(since).to.equal(minutesLater(1));
      asked.push(id);
      return Promise.resolve({ kind: 'awaited', invoiceId: id, from: 'provider', continueUrl: null });
    });
    await sales.run();
    expect(await shop.sessionNow(sessionId)).to.have.nested.property('completion.awaited.from', 'provider');
    shop.told(streamOf.invoice(invoiceId), { type: 'PaymentDeclined', data: {} } as DomainEvent);
    shop.told(streamOf.invoice(idNamed('another')), { type: 'PaymentDeclined', data: {} } as DomainEvent);
    await sales.run();
    // A charge whose outcome was unknown goes on at the payer's bank.
    shop.told(streamOf.invoice(invoiceId), { type: 'PaymentSessionOpened', data: {} } as DomainEvent);
    await sales.run();
    expect(asked).to.deep.equal([invoiceId, invoiceId, invoiceId]);
    await sales.stop();
  });

  it('completes its session, or opens it again with the reason and all its time', async () => {
    const bought = await awaiting('provider');
    const paying = bought.shop.following((id) =>
      Promise.resolve({ kind: 'bought', invoiceId: id, invoiceNumber: 'INV-7' }),
    );
    await paying.run();
    expect(await bought.shop.sessionNow(bought.sessionId)).to.deep.include({
      status: 'completed',
      order: { invoiceId, invoiceNumber: 'INV-7' },
    });

    const left = await awaiting('buyer');
    const nothing = left.shop.following(() => Promise.resolve(null));
    await nothing.run();
    expect(await left.shop.sessionNow(left.sessionId)).to.deep.include({
      ...{ status: 'active', completion: null, expiresAt: minutesLater(61 + 360) },
    });
    await Promise.all([paying.stop(), nothing.stop()]);
  });
});
