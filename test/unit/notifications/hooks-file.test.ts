import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ownersHooks, commandHooks } from '#command/engine/hooks.ts';
import { InvalidHooksFile, loadHooks, type Hooks } from '#runtime/hooks-file.ts';
import { notifications } from '#values/notifications.ts';
import { anyMeta, startTestEngine } from '#test/support/engine.ts';
import { counter } from '../engine/counter.ts';
import { Rejection } from '#kernel/rejection.ts';
import { when } from '#test/support/refusal.ts';

describe('a file of hooks (docs/guides/hooks.md)', () => {
  let folder: string;
  let files = 0;
  before(() => void (folder = mkdtempSync(join(tmpdir(), 'hooks-'))));
  after(() => rmSync(folder, { recursive: true }));

  const load = (text: string): Promise<Hooks> => {
    const file = join(folder, `hooks-${files++}.mjs`);
    writeFileSync(file, text);
    return loadHooks(file);
  };
  const refusal = async (text: string): Promise<string> => {
    const error = await load(text).then(
      () => expect.fail('the file was taken'),
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(InvalidHooksFile);
    return (error as Error).message;
  };

  it('is called by priority, then in the order of the file', async () => {
    const adding = "notification: 'BasketItemAddingNotification', before() {}";
    const { hooks, handlers } = await load(`
      export const hooks = [
        { name: 'late', priority: 1500, ${adding} },
        { name: 'first', ${adding} },
        { ${adding} },
        { name: 'early', priority: -1, ${adding} },
      ];
      export const handlers = [{ notification: 'BasketCreatedNotification', after() {} }];`);
    expect(hooks.map(({ name, priority }) => [name, priority])).to.deep.equal([
      ['early', -1],
      ['first', 1000],
      ['hooks.2', 1000],
      ['late', 1500],
    ]);
    expect(handlers.map(({ name, priority }) => [name, priority])).to.deep.equal([['handlers.0', 2000]]);
  });

  for (const [what, text, ...told] of [
    [
      'an unknown notification, naming the nearest',
      "export const hooks = [{ notification: 'BasketItemAddedingNotification', before() {} }]",
      'hooks.0.notification: there is no BasketItemAddedingNotification; the nearest is BasketItemAddingNotification',
    ],
    [
      'a hook before what is told afterwards',
      "export const hooks = [{ notification: 'BasketCreatedNotification', before() {} }]",
      'hooks.0.notification: BasketCreatedNotification is told afterwards, by handlers',
    ],
    [
      'a handler after what is asked before',
      "export const handlers = [{ notification: 'BasketClearingNotification', after() {} }]",
      'handlers.0.notification: BasketClearingNotification is asked before, by hooks',
    ],
    [
      'all that is wrong at once',
      "export const hooks = [{ notification: 7, priority: 'high', name: 1 }, null]; export const handlers = {}",
      'hooks.0.notification: must be the name of a notification',
      'hooks.0.priority: must be a number',
      'hooks.0.name: must be text',
      'hooks.0.before: must be a function',
      'hooks.1: must be an object',
      'handlers: must be a list',
    ],
    ['nothing exported', 'export const hook = []', 'must be an export named hooks or handlers'],
    ['a file that does not parse', 'export const hooks = [', 'Unexpected'],
    ['a file that throws', "throw new Error('no such luck')", 'no such luck'],
  ] as const) {
    it(`is refused with ${what}`, async () => {
      const message = await refusal(text);
      for (const one of told) expect(message).to.include(one);
    });
  }

  it('is refused if it does not exist', async () => {
    await when(loadHooks(join(folder, 'nowhere.mjs'))).thenFails(InvalidHooksFile);
  });

  it('knows every notification once, by its domain', () => {
    const names = notifications.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    expect(names).to.include.members([
      'CheckoutAbandonedFirstNotification',
      'DigitalProductDeliveredNotification',
      'ExchangeRatesRefreshedNotification',
      'InvoiceAggregateChangedNotification',
      'OrderGroupingModifyingNotification',
      'OrderGroupingNotification',
      'ProtocolAgentAuthenticatingNotification',
      'ShippingTaxOverrideCreatingNotification',
    ]);
    const asked = notifications.filter(({ isBefore, isCancelable }) => isBefore && !isCancelable);
    expect(asked.map(({ name }) => name)).to.deep.equal(['OrderSavingNotification']);
  });
});

describe('hooks before a command (docs/guides/hooks.md#before)', () => {
  const beforeHooks = [
    commandHooks<unknown, { readonly type: 'Take'; readonly pieces: number }>('stock', {
      Take: ({ pieces }, _, id) => ['BasketItemAddingNotification', { id, pieces, list: [{ pieces }] }],
    }),
  ];
  const id = '0192f0c1-7a00-7000-8000-00000000a001';
  const open = async (...before: ((notice: Readonly<Record<string, unknown>>) => unknown)[]) => {
    const lines: string[] = [];
    const note = (_: unknown, message: string): void => void lines.push(message);
    const hooks = ownersHooks({
      hooks: before.map((one, index) => ({
        name: `hook ${index}`,
        notification: 'BasketItemAddingNotification' as const,
        priority: 1000,
        before: one,
      })),
      beforeHooks,
      log: { warn: note, error: note } as never,
    });
    const { engine, store } = await startTestEngine({ hooks });
    const take = (pieces: number, more: object = {}) =>
      engine
        .execute({
          decider: counter,
          id,
          command: { type: 'Take', pieces },
          context: () => 100,
          meta: anyMeta(),
          ...more,
        })
        .catch((error: unknown) => error);
    return { take, lines, store };
  };

  it('cancel with a message, and nothing is written', async () => {
    const asked: unknown[] = [];
    const { take, store } = await open(
      (notice) => void asked.push(notice),
      () => 'Not on Sundays.',
      () => expect.fail('asked after a text'),
    );
    const refused = await take(2);
    expect(refused)
      .to.be.instanceOf(Rejection)
      .and.include({ code: 'cancelled', message: 'Not on Sundays.' });
    expect(await store.head()).to.equal(0);
    expect(asked[0]).to.deep.equal({
      id,
      pieces: 2,
      list: [{ pieces: 2 }],
      notification: 'BasketItemAddingNotification',
    });
  });

  it('continue after an error or a promise, which is logged', async () => {
    const { take, lines, store } = await open(
      () => {
        throw new Error('broken');
      },
      () => Promise.resolve('too late'),
      () => Promise.reject(new Error('broken later')),
      () => 42,
    );
    expect(await take(2)).to.not.be.instanceOf(Error);
    expect(await store.head()).to.equal(1);
    expect(lines).to.include('a hook failed: the command goes on');
    expect(lines).to.include('a hook returned a promise: what it says is not waited for');
  });

  it('cannot change what they are asked about', async () => {
    const { take, lines, store } = await open(
      (notice) => Object.assign(notice, { pieces: 99 }),
      ({ list }) => (list as unknown[]).push('more'),
    );
    await take(2);
    expect(lines).to.deep.equal(Array(2).fill('a hook failed: the command goes on'));
    expect((await store.readAll(0))[0]?.data).to.include('2');
  });

  it('are asked about a step of a process only if it is still to be done', async () => {
    let asked = 0;
    const { take } = await open(() => {
      asked++;
    });
    await take(2, { isProcessStep: true });
    expect(asked).to.equal(1);
    await take(0, { isProcessStep: true });
    expect(asked).to.equal(1);
  });
});
