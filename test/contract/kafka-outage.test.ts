import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openKafkaBus } from '#adapters/kafka/kafka-bus.ts';
import type { Bus, ReceivedMessage } from '#ports/bus.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { freePort } from '#test/support/free-port.ts';
import { onRealEngine } from '#test/support/real-engine.ts';
import { ownMilliseconds } from '#test/support/own-clock.ts';
import { declared, Inbox, keyed, newGroup, oneForEach, rejectionOf } from './bus.contract.ts';
import { KafkaBroker } from './kafka-broker.ts';

const LONGEST_MILLISECONDS = 10_000;

const expectUnavailableInTime = async (question: Promise<unknown>): Promise<void> => {
  const took = await ownMilliseconds(async () =>
    expect(await rejectionOf(question)).to.be.instanceOf(EngineUnavailable),
  );
  expect(took).to.be.below(LONGEST_MILLISECONDS);
};

/** Publishes 0, 1, 2 … under one key, each again until it is taken. */
class Publisher {
  readonly #bus: Bus;
  readonly #topic: string;
  readonly key: string;
  readonly #over: Promise<void>;
  readonly #failure = Promise.withResolvers<void>();
  #isOver = false;
  taken = 0;
  slowestFailure = 0;

  constructor(bus: Bus, topic: string, key: string) {
    this.#bus = bus;
    this.#topic = topic;
    this.key = key;
    this.#over = this.#run();
  }

  /** Resolves when it was refused for the first time. */
  refused(): Promise<void> {
    return this.#failure.promise;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#over;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const begun = performance.now();
      try {
        await this.#bus.publish(this.#topic, [keyed(this.key, this.taken)]);
        this.taken++;
      } catch (error) {
        if (!(error instanceof EngineUnavailable)) throw error;
        this.#failure.resolve();
        this.slowestFailure = Math.max(this.slowestFailure, performance.now() - begun);
      }
      await sleep(5);
    }
  }
}

/** How far each key has come; fails at the first message that comes before its predecessor. */
class Progress {
  readonly #next = new Map<string, number>();
  readonly #inbox = new Inbox();
  problem: string | null = null;

  readonly take = async (message: ReceivedMessage): Promise<void> => {
    const [next, value] = [this.of(message.key), Number(message.value)];
    if (value > next) this.problem ??= `${message.key}: ${value} came before ${next}`;
    this.#next.set(message.key, Math.max(next, value + 1));
    await this.#inbox.take(message);
  };

  of(key: string): number {
    return this.#next.get(key) ?? 0;
  }

  get messages(): number {
    return this.#inbox.received.length;
  }

  until(isSo: () => boolean): Promise<void> {
    return this.#inbox.until(isSo);
  }
}

// These brokers are the suite's own: what they go through nobody else's may.
onRealEngine('TEST_BUS', () => {
  describe('a Kafka that goes away', () => {
    let broker: KafkaBroker;
    const opened: Bus[] = [];
    const open = (parameters: string = ''): Bus => {
      const bus = openKafkaBus({ address: `${broker.address}${parameters}` });
      opened.push(bus);
      return bus;
    };
    before(async () => {
      broker = await KafkaBroker.start();
    });
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((bus) => bus.close()));
    });
    after(async () => {
      await broker.remove();
    });

    it('is unavailable in time when it never was there', async () => {
      const port = await freePort();
      const bus = openKafkaBus({ address: `kafka://127.0.0.1:${port}` });
      opened.push(bus);
      await Promise.all([
        expectUnavailableInTime(bus.declareTopic('orders', 1)),
        expectUnavailableInTime(bus.publish('orders', [keyed('mug')])),
        expectUnavailableInTime(bus.consume({ topic: 'orders', group: 'workers', handle: async () => {} })),
        expectUnavailableInTime(bus.lag('orders', 'workers')),
        expectUnavailableInTime(bus.ping()),
      ]);
    });

    it('is unavailable in time while it is frozen, and goes on where it was', async () => {
      const bus = open();
      const topic = await declared(bus, 2);
      const group = newGroup();
      const inbox = new Inbox();
      await bus.consume({ topic, group, handle: inbox.take });
      await bus.publish(topic, oneForEach(10, 'before'));
      await inbox.holds(10);
      await broker.freeze();
      try {
        // One after the other: the second one begins while the first is under way.
        const first = expectUnavailableInTime(bus.publish(topic, [keyed('during')]));
        await sleep(100);
        await Promise.all([
          first,
          expectUnavailableInTime(bus.publish(topic, [keyed('during')])),
          expectUnavailableInTime(bus.lag(topic, group)),
          expectUnavailableInTime(bus.ping()),
        ]);
        await expectUnavailableInTime(bus.publish(topic, [keyed('later')]));
      } finally {
        await broker.thaw();
      }
      await bus.ping();
      await bus.publish(topic, oneForEach(10, 'after'));
      await inbox.until(() => inbox.keys.filter((key) => key.startsWith('after')).length >= 10);
    });

    for (const [producer, parameters] of [
      ['', ''],
      [', with the idempotent producer', '?idempotent=true'],
    ] as const) {
      it(`loses nothing that it had taken when it is killed, and consumers come back${producer}`, async () => {
        const bus = open(parameters);
        const topic = await declared(bus, 4);
        const group = newGroup();
        const progress = new Progress();
        const consumer = await bus.consume({ topic, group, handle: progress.take });
        const publishers = Array.from({ length: 8 }, (_, index) => new Publisher(bus, topic, `mug-${index}`));
        await progress.until(() => progress.messages >= 500);
        await broker.kill();
        await Promise.all(publishers.map((publisher) => publisher.refused()));
        const before = progress.messages;
        await broker.start();
        await progress.until(() => progress.messages >= before + 500);
        await Promise.all(publishers.map((publisher) => publisher.stop()));
        const isThrough = (): boolean => publishers.every(({ key, taken }) => progress.of(key) >= taken);
        if (!isThrough()) await progress.until(isThrough);
        expect(progress.problem).to.equal(null);
        expect(Math.max(...publishers.map(({ slowestFailure }) => slowestFailure))).to.be.below(
          LONGEST_MILLISECONDS,
        );
        await consumer.stop();
        expect(await bus.lag(topic, group)).to.equal(0);
      });
    }

    it('has its partitions taken over from a consumer whose process is killed', async () => {
      const bus = open('?sessionMilliseconds=6000');
      const topic = await declared(bus, 4);
      const group = newGroup();
      const script = fileURLToPath(new URL('kafka-consume-until-killed.ts', import.meta.url));
      const child = spawn(
        process.execPath,
        [script, `${broker.address}?sessionMilliseconds=6000`, topic, group],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      const lines: string[] = [];
      const reader = createInterface({ input: child.stdout });
      reader.on('line', (line) => lines.push(line));
      while (!lines.includes('joined')) await once(reader, 'line');
      const inbox = new Inbox();
      await bus.consume({ topic, group, handle: inbox.take });
      await bus.publish(topic, oneForEach(40, 'first'));
      while (lines.length - 1 + inbox.received.length < 40) await sleep(20);
      expect(lines.length - 1).to.be.within(1, 39);
      child.kill('SIGKILL');
      await once(child, 'exit');
      await bus.publish(topic, oneForEach(40, 'second'));
      await inbox.until(() => new Set(inbox.keys.filter((key) => key.startsWith('second'))).size === 40);
    });

    it('lets a consumer stop while it is away', async () => {
      const bus = open();
      const topic = await declared(bus, 1);
      const inbox = new Inbox();
      const consumer = await bus.consume({ topic, group: newGroup(), handle: inbox.take });
      await bus.publish(topic, [keyed('mug')]);
      await inbox.holds(1);
      await broker.kill();
      try {
        await consumer.stop().catch((error: unknown) => expect(error).to.be.instanceOf(EngineUnavailable));
        await bus.close();
      } finally {
        await broker.start();
      }
    });
  });
});
