import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import {
  createPersonalDataActions,
  type PersonalDataActions,
} from '#command/contexts/customers/personal-data/personal-data.actions.ts';
import { personalDataRoutes } from '#command/contexts/customers/personal-data/personal-data.routes.ts';
import { newId } from '#kernel/ids.ts';
import { createPersonalTexts } from '#log/personal-texts.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';
import { declareMails } from '#runtime/mail-rows.ts';
import { declareWebhookLog } from '#runtime/webhook-log.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { streamOf } from '#values/stream-name.ts';
import { Api, asAdmin } from '#test/support/api.ts';
import { appendPlain, plainDecoder, shopClock } from '#test/support/plain-log.ts';
import { when } from '#test/support/refusal.ts';

const BASKETS = 200;
const meta: CommandMeta = {
  correlationId: 'c',
  causationId: 'c',
  actor: { kind: 'backoffice', id: 'staff' },
};

// docs/rules/personal-data.md#answer
describe('an answer with all that is held about a customer', () => {
  const customerId = newId();
  let actions: PersonalDataActions;
  let reads: number;
  /** The log is away from this read on. */
  let failsAt: number;
  let recorded: number;

  before(async () => {
    const store = createMemoryEventStore();
    const stateStore = createMemoryDocumentStore();
    const applicationKey = Buffer.alloc(32, 1);
    const keys = await createSubjectKeys({ store: stateStore, applicationKey });
    await declareWebhookLog(stateStore);
    await declareMails(stateStore, store);
    const said = { type: 'Said', data: { text: 'something that takes a kilobyte '.repeat(32) } };
    await appendPlain(store, streamOf.customer(customerId), [said]);
    for (let basket = 0; basket < BASKETS; basket++) {
      const id = newId();
      await keys.ensure({ id, customerId });
      await appendPlain(store, streamOf.basket(id), [said, said, said, said]);
    }
    const sources = {
      store: {
        readStream: (...asked: Parameters<typeof store.readStream>) => {
          if (++reads >= failsAt) throw new EngineUnavailable('the disk is gone');
          return store.readStream(...asked);
        },
      },
      stateStore,
      subjectKeys: keys,
      personalTexts: createPersonalTexts(keys, applicationKey),
      decoder: plainDecoder(),
      clock: shopClock,
      streams: {
        send: () => {
          recorded++;
          return Promise.resolve({ state: { status: 'known', fields: { memberKey: null } }, position: 7 });
        },
      },
    };
    actions = createPersonalDataActions(
      sources as unknown as Parameters<typeof createPersonalDataActions>[0],
    );
  });
  beforeEach(() => {
    reads = 0;
    recorded = 0;
    failsAt = Infinity;
  });

  const parsed = (text: string) => JSON.parse(text) as { streams: unknown[]; isComplete: boolean };

  it('holds every basket, and reads no further ahead than its caller takes', async () => {
    const { stream } = await actions.open(customerId, meta);
    const texts: string[] = [];
    for await (const piece of stream) {
      texts.push(String(piece));
      if (texts.length === 1) expect(reads, 'at the beginning').to.be.below(BASKETS);
    }
    const { streams, isComplete } = parsed(texts.join(''));
    expect(streams).to.have.length(BASKETS + 1);
    expect(isComplete).to.equal(true);
  });

  it('ends with its caller', async () => {
    const { stream } = await actions.open(customerId, meta);
    for await (const _ of stream) break;
    const before = reads;
    await new Promise(setImmediate);
    expect(reads).to.equal(before);
    expect(before).to.be.below(BASKETS);
  });

  it('is refused where two are under way, and then nothing is recorded', async () => {
    const both = await Promise.all([actions.open(customerId, meta), actions.open(customerId, meta)]);
    await when(actions.open(customerId, meta)).thenRefused('too-busy');
    expect(recorded).to.equal(2);
    for (const { stream } of both) stream.destroy();
    await new Promise(setImmediate);
    (await actions.open(customerId, meta)).stream.destroy();
  });

  describe('over HTTP', () => {
    let api: Api;
    before(async () => {
      api = await Api.open(personalDataRoutes(actions));
    });
    after(() => api.close());
    const ask = (): Promise<Response> =>
      fetch(`${api.base}/backoffice/api/v1/customers/${customerId}/personal-data`, { headers: asAdmin });

    it('is whole, and a file', async () => {
      const answer = await ask();
      expect(answer.headers.get('content-disposition')).to.include(`personal-data-${customerId}.json`);
      expect(answer.headers.get('cache-control')).to.equal('no-store');
      expect(parsed(await answer.text()).streams).to.have.length(BASKETS + 1);
    });

    it('cuts the connection half-way, so that a part never passes for the whole', async () => {
      failsAt = BASKETS;
      const answer = await ask();
      expect(answer.status).to.equal(200);
      await when(answer.text()).thenFails(TypeError, 'terminated');
      expect(recorded).to.equal(1);
    });
  });
});
