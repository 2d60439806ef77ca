import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSqliteBus } from '#adapters/sqlite/sqlite-bus.ts';
import { openSqliteDocumentStore } from '#adapters/sqlite/sqlite-document-store.ts';
import { openSqliteEventStore } from '#adapters/sqlite/sqlite-event-store.ts';
import type { Delivery } from '#topics/webhook-delivery.ts';
import type { Replay } from '#dispatcher/contexts/webhooks/replays/replay.ts';
import { at, openWebhooks, type WebhookRuntime } from './open-webhooks.ts';

// A dispatcher in a process of its own, on files, that can be killed. This file is also what that process runs.

type Call = readonly [
  name: 'subscribe' | 'register' | 'settle' | 'deliveries' | 'replay' | 'replayed' | 'stop',
  ...texts: string[],
];

/** A dispatcher that somebody may kill. */
export interface WebhookProcess {
  subscribe(targetUrl: string): Promise<string>;
  register(...names: readonly string[]): Promise<void>;
  settle(): Promise<boolean>;
  deliveries(subscriptionId: string): Promise<readonly Delivery[]>;
  /** Has everything sent that was ever registered, and returns the id of the replay. */
  replay(subscriptionId: string): Promise<string>;
  replayed(subscriptionId: string, replayId: string): Promise<Replay>;
  stop(): Promise<void>;
  /** As `kill -9` does. */
  kill(): void;
  /** Resolves when it is no more. */
  gone(): Promise<void>;
}

export const startWebhookProcess = async (folder: string): Promise<WebhookProcess> => {
  const child = fork(fileURLToPath(import.meta.url), [folder], { serialization: 'advanced' });
  const ended = once(child, 'exit');
  await once(child, 'message');
  const call = (...message: Call): Promise<unknown> => ask(child, message);
  return {
    subscribe: async (targetUrl) => String(await call('subscribe', targetUrl)),
    register: async (...names) => void (await call('register', ...names)),
    settle: async () => (await call('settle')) === true,
    deliveries: async (id) => (await call('deliveries', id)) as readonly Delivery[],
    replay: async (id) => String(await call('replay', id)),
    replayed: async (id, replayId) => (await call('replayed', id, replayId)) as Replay,
    stop: async () => {
      await call('stop');
      await ended;
    },
    kill: () => child.kill('SIGKILL'),
    gone: async () => void (await ended),
  };
};

const ask = async (child: ChildProcess, message: Call): Promise<unknown> => {
  const answered = once(child, 'message');
  child.send([...message]);
  const [answer] = (await answered) as [{ readonly value: unknown }];
  return answer.value;
};

const openFolder = async (folder: string) => ({
  log: await openSqliteEventStore({ file: join(folder, 'events.db') }),
  stateStore: await openSqliteDocumentStore({ file: join(folder, 'state.db') }),
  bus: await openSqliteBus({ file: join(folder, 'bus.db') }),
});

const perform = async (runtime: WebhookRuntime, [name, ...texts]: Call): Promise<unknown> => {
  const [text = '', other = ''] = texts;
  switch (name) {
    case 'subscribe':
      return runtime.subscribe(text);
    case 'register':
      return runtime.register(...texts);
    case 'settle':
      return runtime.settle();
    case 'deliveries':
      return runtime.deliveries(text);
    case 'replay':
      return (await runtime.replays.start(text, { from: at, include: 'all' }, 'staff'))._id;
    case 'replayed':
      return runtime.replays.get(text, other);
    case 'stop':
      await runtime.stop();
      return null;
  }
};

const serve = async (folder: string): Promise<void> => {
  const stores = await openFolder(folder);
  const runtime = await openWebhooks({ stores });
  process.on('message', (message) => {
    const call = message as Call;
    void perform(runtime, call).then(async (value) => {
      process.send?.({ value });
      if (call[0] !== 'stop') return;
      await Promise.all([stores.bus.close(), stores.log.close(), stores.stateStore.close()]);
      process.disconnect?.();
    });
  });
  process.send?.({ value: 'ready' });
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await serve(process.argv[2] ?? '');
