import { once } from 'node:events';
import { createServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { openEventStoreDb } from '#adapters/eventstoredb/eventstoredb-event-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { NO_STREAM } from '#ports/event-store.ts';
import { EventStoreDouble } from '#test/support/eventstoredb/double-server.ts';
import { anEvent, insist, newStream, rejectionOf } from './event-store.contract.ts';

/** Answers every call with this status and nothing else. */
const startProxy = async (status: number) => {
  const server = createServer((_, response) => void response.writeHead(status).end());
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => void sessions.add(session));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop: async (): Promise<void> => {
      const closed = once(server, 'close');
      server.close();
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
};

describe('the EventStoreDB adapter behind a proxy', () => {
  for (const status of [403, 404]) {
    it(`takes its ${status} for a server that is away, and appends in batches when that is back`, async () => {
      const proxy = await startProxy(status);
      const { port } = proxy;
      const store = await openEventStoreDb({ address: `esdb://127.0.0.1:${port}?tls=false` });
      const stream = newStream();
      const append = () => store.append(stream, NO_STREAM, [anEvent()]);
      for (const call of [append, () => store.readStream(stream), () => store.head()])
        expect(await rejectionOf(call())).to.be.instanceOf(EngineUnavailable);

      await proxy.stop();
      const double = await new EventStoreDouble({ port }).start();
      try {
        expect(await double.calls.during(() => insist(append))).to.deep.equal({ batchAppend: 1 });
      } finally {
        await store.close();
        double.close();
      }
    });
  }
});
