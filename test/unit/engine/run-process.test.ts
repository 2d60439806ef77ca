import { expect } from 'chai';
import { createInstances, runSteps } from '#command/engine/run-process.ts';
import type { Streams } from '#command/engine/streams.ts';
import { remember, type ProcessCommand, type Call, type Process } from '#kernel/process.ts';
import { Rejection } from '#kernel/rejection.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { anyMeta } from '#test/support/engine.ts';
import { countdown } from '#test/support/countdown.ts';
import { givenProcess, nameOf } from '#test/support/given-process.ts';
import { when } from '#test/support/refusal.ts';

const ask = (call: string, input: unknown = null): Call => ({ call, input });

/** A journey: a ticket, then two beds together, then a farewell that may fail, then home. */
const journey: Process<string, { readonly ticket: string }> = {
  name: 'journey',
  on: {},
  takenOver: () => new Rejection('replaced', 'Somebody else travels.'),
  begins: () => ({ ticket: '' }),
  steps: [
    { name: 'pack', commands: () => [ask('pack')] },
    {
      name: 'buy a ticket',
      commands: (traveller) => [
        remember(ask('ticket', traveller), (_, ticket) => ({ ticket: String(ticket) })),
      ],
      compensate: (traveller) => [ask('return ticket', traveller)],
    },
    {
      name: 'book beds',
      commands: (_, { ticket }) => [ask('bed one', ticket), ask('bed two', ticket)],
      compensate: () => [ask('cancel beds')],
      explains: (refusal, asked) => ({ ...refusal, message: `${nameOf(asked)}: ${refusal.message}` }),
    },
    { name: 'skip', commands: () => [] },
    { name: 'say farewell', commands: () => [ask('farewell')], isTidyingUp: true },
  ],
  completes: (traveller) => ask('go home', traveller),
  fails: (_, { message }, hasCompensated) => ask('stay', { message, hasCompensated }),
};

/** A journey on which every call is answered with its name and its input. */
const travelling = givenProcess(
  journey,
  'Ada',
  Object.fromEntries(
    ['pack', 'ticket', 'bed one', 'bed two', 'farewell', 'go home'].map((name) => [
      name,
      (command: ProcessCommand) => `${name} of ${'call' in command ? String(command.input) : 'no call'}`,
    ]),
  ),
);

const full = new Rejection('full', 'no room');

describe('the steps of a process', () => {
  it('run one after another, and each gets the results of those before', async () => {
    const { refusal, result } = await travelling.thenSends(
      'pack',
      'ticket',
      ['bed one', { input: 'ticket of Ada' }],
      'bed two',
      'farewell',
      'go home',
    );
    expect([refusal, result]).to.deep.equal([null, 'go home of Ada']);
  });

  it('run together if there are several, and are all waited for', async () => {
    const both = countdown(2);
    const order: string[] = [];
    await runSteps(journey, 'Ada', async (one) => {
      const name = nameOf(one);
      if (name.startsWith('bed')) {
        both.arrive();
        await both.all;
      }
      order.push(name);
      return name;
    });
    expect(order.slice(2, 4).sort()).to.deep.equal(['bed one', 'bed two']);
  });

  it('are all undone when one is refused, and the refusal is explained', async () => {
    const { refusal } = await travelling
      .when({ 'bed two': full })
      .thenSends('pack', 'ticket', 'bed one', 'bed two', 'return ticket', 'cancel beds', [
        'stay',
        { input: { message: 'bed two: no room', hasCompensated: true } },
      ]);
    expect(refusal).to.deep.equal({ code: 'full', message: 'bed two: no room', details: {} });
  });

  it('report the first of several refusals, in their order', async () => {
    const other = new Rejection('full', 'none either');
    await travelling
      .when({ 'bed one': full, 'bed two': other })
      .thenRefused('full', { message: 'bed one: no room' });
  });

  it('undo nothing when the refusal comes before the first step that can be undone', async () => {
    await travelling
      .when({ pack: full })
      .thenSends('pack', ['stay', { input: { message: 'no room', hasCompensated: false } }]);
  });

  it('go on after a refusal that comes too late to matter', async () => {
    const { refusal } = await travelling.when({ farewell: full }).thenEndsWith('go home');
    expect(refusal).to.equal(null);
  });

  for (const [name, error] of [
    ['an engine is unavailable', new EngineUnavailable('away')],
    ['a conflict outlives its deadline', new Rejection('conflict', 'Busy.')],
  ] as const) {
    it(`stop where they are and undo nothing when ${name}`, async () => {
      await travelling.when({ 'bed one': error }).thenStops(error, 'pack', 'ticket', 'bed one', 'bed two');
    });
  }

  it('leave the refusal to the caller if the process does not end with it', async () => {
    await givenProcess({ ...journey, fails: null }, 'Ada')
      .when({ pack: full })
      .thenStops(full, 'pack');
  });
});

const noStreams = {
  send: () => expect.fail('no stream was meant'),
  load: () => expect.fail('no stream was meant'),
} as unknown as Streams;

const everything = ['pack', 'ticket', 'bed one', 'bed two', 'farewell', 'go home'];

const instancesOf = (opening: () => string | null, answer: () => Promise<unknown>) => {
  let asked = 0;
  const call = (): Promise<unknown> => {
    asked++;
    return answer();
  };
  const instances = createInstances({
    process: journey,
    calls: Object.fromEntries(everything.map((name) => [name, call])),
    streams: noStreams,
  });
  const run = () => instances.run('1', anyMeta(), () => Promise.resolve(opening()));
  return { run, running: () => instances.running('1'), asked: () => asked };
};

describe('the instances of a process', () => {
  it('run one at a time by id, shared by callers, and can run again', async () => {
    const { run, running, asked } = instancesOf(
      () => 'Ada',
      () => Promise.resolve('done'),
    );
    const [one, other] = await Promise.all([run(), run()]);
    expect(one).to.equal(other);
    expect(asked()).to.equal(everything.length);
    expect(running()).to.equal(undefined);
    await run();
    expect(asked()).to.equal(2 * everything.length);
  });

  it('can run again after a failure', async () => {
    let isAway = true;
    const { run } = instancesOf(
      () => 'Ada',
      () => (isAway ? Promise.reject(new EngineUnavailable('away')) : Promise.resolve('done')),
    );
    await when(run()).thenFails(EngineUnavailable);
    isAway = false;
    expect(await run()).to.include({ refusal: null, start: 'Ada' });
  });

  describe('of a process that completes after the answer', () => {
    const arriving = (goHome: () => Promise<unknown>) => {
      const calls = Object.fromEntries(everything.map((name) => [name, () => Promise.resolve(name)]));
      const instances = createInstances({
        process: { ...journey, completesAfterwards: () => true },
        calls: { ...calls, 'go home': goHome },
        streams: noStreams,
      });
      return { instances, run: () => instances.run('1', anyMeta(), () => Promise.resolve('Ada')) };
    };

    it('answer before the last command is done, which runs on until it is', async () => {
      const home = Promise.withResolvers<void>();
      let isOnTheWay = false;
      const { instances, run } = arriving(() => {
        isOnTheWay = true;
        return home.promise;
      });
      expect(await run()).to.include({ refusal: null, result: 'farewell' });
      expect(isOnTheWay, 'handed in before the answer').to.equal(true);
      const ended = instances.running('1');
      expect(await run(), 'a second caller is answered alike').to.include({ result: 'farewell' });
      let isDrained = false;
      const drained = instances.drain().then(() => (isDrained = true));
      await Promise.resolve();
      expect(isDrained).to.equal(false);
      home.resolve();
      await Promise.all([ended, drained]);
      expect(instances.running('1')).to.equal(undefined);
    });

    it('have answered even if it fails: the instance stays open, and can run again', async () => {
      let times = 0;
      const { instances, run } = arriving(() =>
        times++ === 0 ? Promise.reject(new EngineUnavailable('away')) : Promise.resolve('home'),
      );
      expect(await run()).to.include({ refusal: null });
      await instances.drain();
      expect(instances.running('1')).to.equal(undefined);
      expect(await run()).to.include({ refusal: null });
      await instances.drain();
      expect(times).to.equal(2);
    });
  });

  it('do nothing where none is open', async () => {
    const { run, asked } = instancesOf(
      () => null,
      () => Promise.resolve('done'),
    );
    expect(await run()).to.equal(null);
    expect(asked()).to.equal(0);
  });

  it('do nothing while another process is at it', async () => {
    const instances = createInstances({
      process: journey,
      streams: noStreams,
      runAlone: () => Promise.resolve(null),
    });
    const look = () => expect.fail('nobody was to look');
    expect(await instances.run('1', anyMeta(), look)).to.equal(null);
  });

  it('stop before the next step once another process has taken them over', async () => {
    const sent: string[] = [];
    let isHeld = true;
    const call = (name: string) => (): Promise<unknown> => {
      sent.push(name);
      isHeld = name !== 'ticket';
      return Promise.resolve();
    };
    const instances = createInstances({
      process: journey,
      calls: Object.fromEntries(everything.map((name) => [name, call(name)])),
      streams: noStreams,
      runAlone: (_, work) => work(() => isHeld),
    });
    await when(instances.run('1', anyMeta(), () => Promise.resolve('Ada'))).thenRefused('replaced');
    expect(sent).to.deep.equal(['pack', 'ticket']);
  });
});
