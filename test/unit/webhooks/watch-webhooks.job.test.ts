import { expect } from 'chai';
import { subscriptionDecider } from '#command/contexts/webhooks/subscription.decider.ts';
import { watchWebhooks } from '#command/contexts/webhooks/watch-webhooks.job.ts';
import type { CommandEngine } from '#command/engine/command-engine.ts';
import { newId } from '#kernel/ids.ts';
import { anyMeta, startTestEngine } from '#test/support/engine.ts';
import { zeroCounters, type SubscriptionCounters } from '#topics/webhook-delivery.ts';
import { subscriptionWith } from '#test/support/builders/webhook.ts';

const failing = { failureCount: 10, failuresInARow: 10, lastErrorMessage: 'no answer' };

/** The job in two processes, over what is counted. */
const watching = async () => {
  const { engine, another, store, clock } = await startTestEngine();
  const counters: SubscriptionCounters[] = [];
  const loaded: string[] = [];
  const counting = (commands: CommandEngine) => {
    const load: CommandEngine['load'] = (decider, id) => {
      loaded.push(id);
      return commands.load(decider, id);
    };
    const recall: CommandEngine['recall'] = (decider, id) => commands.recall(decider, id);
    const execute: CommandEngine['execute'] = (request) => commands.execute(request);
    return { load, recall, execute };
  };
  const jobs = [engine, another()].map((commands) =>
    watchWebhooks({
      commands: counting(commands),
      allCounters: async function* () {
        yield* counters;
      },
    }),
  );
  const send = (id: string, command: Parameters<typeof subscriptionDecider.decide>[1]) =>
    engine.execute({
      decider: subscriptionDecider,
      id,
      command,
      context: () => ({ at: '2026-03-01T09:00:00.000Z', newSecret: 'secret' }),
      meta: anyMeta(),
    });
  return {
    counters,
    loaded,
    clock,
    subscribe: async (given: Parameters<typeof subscriptionWith>[0] = {}): Promise<string> => {
      const id = newId();
      const {
        id: _,
        topic,
        signingSecret: __,
        dateCreated: ___,
        dateUpdated: ____,
        ...settings
      } = subscriptionWith(given);
      await send(id, { type: 'Subscribe', topic, settings });
      return id;
    },
    unsubscribe: (id: string) => send(id, { type: 'Unsubscribe' }),
    run: () => Promise.all(jobs.map((job) => job.runOnce(clock.now()))),
    types: async () =>
      (await store.readAll(0)).map(({ type }) => type).filter((type) => !type.includes('ubscribed')),
  };
};

describe('the job that watches webhooks', () => {
  it('has staff told once, though two processes look at the same moment, and again after a kill', async () => {
    const { counters, subscribe, run, types } = await watching();
    counters.push({ ...zeroCounters(await subscribe()), ...failing });
    await run();
    await run();
    expect(await types()).to.deep.equal(['WebhookReceiverFailed']);
  });

  it('says nothing of what is switched off, deleted, or no subscription, as the operator’s webhook', async () => {
    const { counters, subscribe, unsubscribe, run, types } = await watching();
    const deleted = await subscribe();
    await unsubscribe(deleted);
    for (const id of [deleted, await subscribe({ isActive: false }), newId()])
      counters.push({ ...zeroCounters(id), ...failing, givenUpCount: 3 });
    await run();
    expect(await types()).to.deep.equal([]);
  });

  it('looks at what was deleted or switched off every few minutes, however long its trouble stands', async () => {
    const { counters, loaded, clock, subscribe, run } = await watching();
    for (const id of [await subscribe({ isActive: false }), newId()])
      counters.push({ ...zeroCounters(id), ...failing });
    for (let seconds = 0; seconds < 300; seconds += 10) {
      await run();
      clock.time += 10_000;
    }
    expect(loaded, 'once in each of two processes').to.have.length(4);
    await run();
    expect(loaded).to.have.length(8);
  });
});
