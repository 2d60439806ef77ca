import { expect } from 'chai';
import { createInstances, runSteps } from '#command/engine/run-process.ts';
import type { Streams } from '#command/engine/streams.ts';
import type { ProcessCommand, Call, Process } from '#kernel/process.ts';
import { Rejection } from '#kernel/rejection.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { anyMeta } from '#test/support/engine.ts';
import { countdown } from '#test/support/countdown.ts';

const ask = (call: string, input: unknown = null): Call => ({ call, input });
const nameOf = (asked: ProcessCommand): string => ('call' in asked ? asked.call : asked.command.type);

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
      commands: (traveller) => [ask('ticket', traveller)],
      results: (_, [ticket]) => ({ ticket: String(ticket) }),
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

/** Runs the journey; what is named in `refusals` is refused. Returns how it ended and what was asked, in order. */
const travel = async (refusals: Readonly<Record<string, Error>> = {}) => {
  const asked: Call[] = [];
  const perform = (one: ProcessCommand): Promise<unknown> => {
    if (!('call' in one)) return expect.fail('no stream was meant');
    asked.push(one);
    const refusal = refusals[one.call];
    return refusal ? Promise.reject(refusal) : Promise.resolve(`${one.call} of ${String(one.input)}`);
  };
  const ended = await runSteps(journey, 'Ada', perform).catch((error: unknown) => error);
  return { ended, asked, names: asked.map(({ call }) => call) };
};

const full = new Rejection('full', 'no room');

describe('the steps of a process', () => {
  it('go out one after another, and each hears what the others have found', async () => {
    const { ended, names, asked } = await travel();
    expect(names).to.deep.equal(['pack', 'ticket', 'bed one', 'bed two', 'farewell', 'go home']);
    expect(asked[2]?.input).to.equal('ticket of Ada');
    expect(ended).to.deep.equal({ refusal: null, result: 'go home of Ada' });
  });

  it('go out together where there are several, and are all waited for', async () => {
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

  it('are all taken back when one is refused, and the refusal is explained', async () => {
    const { ended, names, asked } = await travel({ 'bed two': full });
    expect(names).to.deep.equal([
      ...['pack', 'ticket', 'bed one', 'bed two'],
      ...['return ticket', 'cancel beds', 'stay'],
    ]);
    expect(asked.at(-1)?.input).to.deep.equal({ message: 'bed two: no room', hasCompensated: true });
    expect(ended).to.deep.include({ refusal: { code: 'full', message: 'bed two: no room', details: {} } });
  });

  it('tell the first refusal of several, in their order', async () => {
    const other = new Rejection('full', 'none either');
    const { ended } = await travel({ 'bed one': full, 'bed two': other });
    expect(ended).to.have.nested.property('refusal.message', 'bed one: no room');
  });

  it('leave everything as it was when the first to be taken back had not come yet', async () => {
    const { names, asked } = await travel({ pack: full });
    expect(names).to.deep.equal(['pack', 'stay']);
    expect(asked.at(-1)?.input).to.deep.equal({ message: 'no room', hasCompensated: false });
  });

  it('go on after a refusal that comes too late to matter', async () => {
    const { ended, names } = await travel({ farewell: full });
    expect(names.at(-1)).to.equal('go home');
    expect(ended).to.include({ refusal: null });
  });

  for (const [name, error] of [
    ['an engine is away', new EngineUnavailable('away')],
    ['a conflict outlives its deadline', new Rejection('conflict', 'Busy.')],
  ] as const) {
    it(`stop where they are, with nothing taken back, when ${name}`, async () => {
      const { ended, names } = await travel({ 'bed one': error });
      expect(ended).to.equal(error);
      expect(names).to.deep.equal(['pack', 'ticket', 'bed one', 'bed two']);
    });
  }

  it('hand a refusal to the caller where the process does not end by one', async () => {
    const onwards: typeof journey = { ...journey, fails: null };
    const error = await runSteps(onwards, 'Ada', () => Promise.reject(full)).catch(
      (reason: unknown) => reason,
    );
    expect(error).to.equal(full);
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
    const failed = await run().catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(EngineUnavailable);
    isAway = false;
    expect(await run()).to.include({ refusal: null, start: 'Ada' });
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
    const error = await instances
      .run('1', anyMeta(), () => Promise.resolve('Ada'))
      .catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'replaced' });
    expect(sent).to.deep.equal(['pack', 'ticket']);
  });
});
