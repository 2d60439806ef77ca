import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openEventStoreDb } from '#adapters/eventstoredb/eventstoredb-event-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { NO_STREAM, START, type EventStore } from '#ports/event-store.ts';
import { createCertificate } from '#test/support/certificate.ts';
import { EventStoreDoubleCluster } from '#test/support/eventstoredb/double-cluster.ts';
import { EventStoreDouble } from '#test/support/eventstoredb/double-server.ts';
import { follow, newStream, rejectionOf, someEvents } from './event-store.contract.ts';

describe('TLS to EventStoreDB', () => {
  let folder: string;
  let closers: (() => unknown)[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'eventstoredb-tls-'));
    closers = [];
  });
  afterEach(async () => {
    for (const close of closers.toReversed()) await close();
    rmSync(folder, { recursive: true });
  });

  const certificateFor = (
    ...hosts: readonly string[]
  ): { tls: ReturnType<typeof createCertificate>; ca: string } => {
    const tls = createCertificate(hosts);
    const ca = join(folder, `${hosts.join('-')}.pem`);
    writeFileSync(ca, tls.certificate);
    return { tls, ca };
  };
  const open = async (address: string): Promise<EventStore> => {
    const store = await openEventStoreDb({ address });
    closers.push(() => store.close());
    return store;
  };
  /** On a double with a certificate for `named`, called by `host`. */
  const openAt = async (host: string, named: string): Promise<EventStore> => {
    const { tls, ca } = certificateFor(named);
    const double = await new EventStoreDouble({ tls }).start();
    closers.push(() => double.close());
    return open(`${double.address.replace('127.0.0.1', host)}&tlsCAFile=${encodeURIComponent(ca)}`);
  };

  for (const host of ['127.0.0.1', 'localhost']) {
    it(`reads, appends and follows at ${host} where the certificate says so`, async () => {
      const store = await openAt(host, host);
      const stream = newStream();
      await store.append(stream, NO_STREAM, someEvents(2));
      expect(await follow(store, START, 2)).to.deep.equal(await store.readStream(stream));
    });
  }

  for (const [host, named] of [
    ['127.0.0.1', 'localhost'],
    ['127.0.0.1', '127.0.0.2'],
    ['localhost', '127.0.0.1'],
    ['localhost', 'eventstoredb-node'],
  ] as const) {
    it(`refuses ${host} where the certificate is for ${named}`, async () => {
      const store = await openAt(host, named);
      const refusal = await rejectionOf(store.ping());
      expect(refusal, 'ends the start').not.to.be.instanceOf(EngineUnavailable);
      expect(String(refusal)).to.match(/certificate is for /);
      expect(String(refusal)).to.include(`${named},`).and.include(`names ${host}:`);
    });
  }

  it('refuses a certificate that nobody vouches for', async () => {
    const { tls } = certificateFor('127.0.0.1');
    const double = await new EventStoreDouble({ tls }).start();
    closers.push(() => double.close());
    for (const address of [double.address, double.address.replace('esdb:', 'esdb+discover:')]) {
      const refusal = await rejectionOf((await open(address)).ping());
      expect(refusal, 'ends the start').not.to.be.instanceOf(EngineUnavailable);
      expect(String(refusal))
        .to.match(/self.signed certificate/)
        .and.include('tlsCAFile in EVENT_STORE');
    }
  });

  it('waits for a server whose certificate goes wrong while it runs', async () => {
    const { tls, ca } = certificateFor('127.0.0.1');
    const double = await new EventStoreDouble({ tls }).start();
    const store = await open(`${double.address}&tlsCAFile=${encodeURIComponent(ca)}`);
    await store.ping();
    double.close();
    const renewed = await new EventStoreDouble({
      tls: certificateFor('127.0.0.1', 'renewed').tls,
      port: double.endPoint.port,
    }).start();
    closers.push(() => renewed.close());
    await rejectionOf(store.ping());
    const refusal = await rejectionOf(store.ping());
    expect(refusal).to.be.instanceOf(EngineUnavailable);
    expect(String(refusal)).to.include('tlsCAFile');
  });

  it('finds and changes the leader of a cluster whose gossip names addresses', async () => {
    const { tls, ca } = certificateFor('127.0.0.1');
    const cluster = await new EventStoreDoubleCluster(3, { tls }).start();
    closers.push(() => cluster.close());
    const store = await open(`${cluster.seeds(1, 2)}&tlsCAFile=${encodeURIComponent(ca)}`);
    const stream = newStream();
    await store.append(stream, NO_STREAM, someEvents(1));
    cluster.elect();
    await rejectionOf(store.append(stream, 0, someEvents(1)));
    await store.append(stream, 0, someEvents(1));
    expect(await store.readStream(stream)).to.have.length(2);
  });

  it('is refused at the start when a file of the address cannot be read', async () => {
    const refusal = await rejectionOf(
      openEventStoreDb({ address: `esdb://127.0.0.1?tlsCAFile=${folder}/none.pem` }),
    );
    expect(String(refusal)).to.include('tlsCAFile').and.include('none.pem');
  });
});
