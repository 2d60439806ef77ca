import { openSqliteEventStore } from '#adapters/sqlite/sqlite-event-store.ts';
import { chainStart, hashOf, sealMetadata } from '#log/hash-chain.ts';
import { newId } from '#kernel/ids.ts';

/*
 * Makes a log of very many streams, of one event each: `node produce-streams.ts <log> <streams>`. A basket that nothing
 * was put into, as a crawler leaves it.
 */

const [, , file = '', wanted = '0'] = process.argv;
/** Appended together. */
const AT_ONCE = 1000;

const metadata = JSON.stringify({
  schemaVersion: 1,
  recordedAt: '2026-03-01T12:00:00.000Z',
  correlationId: newId(),
  actor: { kind: 'visitor', id: null },
}).slice(0, -1);
const data = JSON.stringify({ currency: 'GBP' });

const produce = async (streams: number): Promise<{ readonly events: number }> => {
  const store = await openSqliteEventStore({ file, synchronous: 'NORMAL', mode: 'inline' });
  const append = async (): Promise<void> => {
    const [id, stream] = [newId(), `basket-${newId()}`];
    const link = { id, stream, revision: 0, type: 'BasketStarted', data };
    const hash = hashOf(chainStart.hash, link, metadata);
    const event = { id, type: link.type, data, metadata: sealMetadata(metadata, hash) };
    await store.append(stream, chainStart.revision, [event]);
  };
  for (let made = 0; made < streams; made += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, streams - made) }, append));
    process.send?.({ progress: made / streams });
  }
  await store.close();
  return { events: streams };
};

produce(Number(wanted)).then(
  (result) => process.send?.({ result }),
  (error: unknown) => process.send?.({ error: error instanceof Error ? String(error.stack) : String(error) }),
);
process.on('disconnect', () => process.exit());
