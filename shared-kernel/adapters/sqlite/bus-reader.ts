import type { ReceivedMessage } from '#ports/bus.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { GroupPartition, PageLimit } from '#adapters/embedded-bus/message-log.ts';
import { openBusForReading } from './bus-file.ts';
import { naming, unreadable } from './file-damage.ts';
import { limitAsGiven } from './limit-as-given.ts';

/** The reading half of a bus in a file. All calls return at once; they throw `EngineUnavailable`. */
export interface BusReader {
  /** Each topic with the number of its partitions. */
  topics(): ReadonlyMap<string, number>;
  page(topic: string, partition: number, from: number, limit: PageLimit): readonly ReceivedMessage[];
  committed(place: GroupPartition): number;
  countFrom(topic: string, partition: number, from: number): number;
  close(): void;
}

type Row = [number, string, string, string | null];

/** Opens `file`, which must exist. */
export const openBusReader = (file: string): BusReader => {
  const database = naming('bus', file, () => openBusForReading(file));
  const answering = answeringFrom(file);
  const topics = database.prepare('SELECT topic, partitions FROM topics');
  const messages = database.prepare(`
    SELECT offset, key, value, headers FROM messages
    WHERE topic = ? AND partition = ? AND offset >= ? ORDER BY offset ${limitAsGiven}`);
  messages.setReturnArrays(true);
  const next = database.prepare(
    'SELECT next FROM group_offsets WHERE topic = ? AND consumer_group = ? AND partition = ?',
  );
  const ends = database.prepare(`
    SELECT (SELECT min(offset) FROM messages WHERE topic = :topic AND partition = :partition) AS first,
      (SELECT max(offset) FROM messages WHERE topic = :topic AND partition = :partition) AS last`);
  return {
    topics: () =>
      answering(
        () => new Map(topics.all().map(({ topic, partitions }) => [String(topic), Number(partitions)])),
      ),
    page: (topic, partition, from, limit) =>
      answering(() => {
        const page: ReceivedMessage[] = [];
        let characters = 0;
        const rows = messages.iterate(topic, partition, from, limit.messages) as Iterable<unknown>;
        for (const [offset, key, value, headers] of rows as Iterable<Row>) {
          page.push({ topic, partition, offset, key, value, ...headersFrom(headers) });
          if ((characters += value.length) >= limit.characters) break;
        }
        return page;
      }),
    committed: ({ group, topic, partition }) =>
      answering(() => Number(next.get(topic, group, partition)?.['next'] ?? 0)),
    // Offsets have no holes, as only the oldest messages are ever removed.
    countFrom: (topic, partition, from) =>
      answering(() => {
        const { first, last } = ends.get({ topic, partition }) ?? {};
        return Math.max(0, Number(last ?? -1) + 1 - Math.max(from, Number(first ?? 0)));
      }),
    close: () => database.close(),
  };
};

const headersFrom = (headers: string | null): Pick<ReceivedMessage, 'headers'> =>
  headers === null ? {} : { headers: JSON.parse(headers) as Record<string, string> };

const answeringFrom =
  (file: string) =>
  <Answer>(read: () => Answer): Answer => {
    try {
      return read();
    } catch (cause) {
      throw new EngineUnavailable(unreadable('bus', file, cause), { cause });
    }
  };
