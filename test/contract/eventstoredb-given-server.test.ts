import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { openEventStoreDb } from '#adapters/eventstoredb/eventstoredb-event-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { NO_STREAM, START } from '#ports/event-store.ts';
import { freePort } from '#test/support/free-port.ts';
import { openOwnEventStore } from '#test/support/own-event-store.ts';
import { TestShop } from '#test/support/shop.ts';
import { anEvent, newStream, rejectionOf } from './event-store.contract.ts';

const double = fileURLToPath(new URL('../support/eventstoredb/main.ts', import.meta.url));

/** Shell commands that treat a double as an operator treats his server. */
const commandsFor = (folder: string, port: number): Readonly<Record<string, string>> => {
  const [pid, log] = [join(folder, 'pid'), join(folder, 'events.log')];
  const signal = (name: string): string => `kill -${name} $(cat ${pid})`;
  const start = `${process.execPath} ${double} --port ${port} --file ${log} & echo $! > ${pid}`;
  return {
    reset: `[ ! -e ${pid} ] || ${signal('KILL')}; rm -f ${log}; ${start}`,
    kill: signal('KILL'),
    start,
    freeze: signal('STOP'),
    thaw: signal('CONT'),
  };
};

describe("A server that is somebody else's", () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillroll-given-'));
  let env: Readonly<Record<string, string>>;
  before(async () => {
    const port = await freePort();
    const { reset = '', ...strikes } = commandsFor(folder, port);
    env = {
      TEST_EVENT_STORE: `esdb://127.0.0.1:${port}?tls=false`,
      TEST_EVENT_STORE_RESET: reset,
      TEST_EVENT_STORE_STRIKES: Object.entries(strikes)
        .map(([name, command]) => `${name}=${command}`)
        .join(';;'),
    };
  });
  after(() => {
    process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  const refusalOf = async (opening: Promise<unknown>): Promise<string> => String(await rejectionOf(opening));

  it('is empty for each shop', async () => {
    for (let round = 0; round < 2; round++) {
      const own = await openOwnEventStore(env);
      const log = await openEventStoreDb({ address: own.address });
      expect(await log.head()).to.equal(START);
      const shop = await TestShop.open({ environment: { EVENT_STORE: own.address } });
      await shop.close();
      expect(await log.head()).to.be.above(START);
      await log.close();
      await own.close();
    }
  });

  it('is struck by name, and what is left struck is given back for the next shop', async () => {
    const own = await openOwnEventStore(env);
    const log = await openEventStoreDb({ address: own.address });
    await log.append(newStream(), NO_STREAM, [anEvent()]);
    const head = await log.head();

    await own.strike('freeze');
    const asked = log.head();
    expect(await Promise.race([asked, pause(300, 'nothing')])).to.equal('nothing');
    await own.mend('freeze');
    expect(await asked).to.equal(head);
    await own.strike('kill');
    expect(await rejectionOf(log.ping())).to.be.instanceOf(EngineUnavailable);
    await own.close();
    await log.close();
    const again = await openEventStoreDb({ address: own.address });
    expect(await again.head()).to.equal(head);
    await again.close();
  });

  it('fails a test with what a command printed', async () => {
    const broken = { ...env, TEST_EVENT_STORE_RESET: 'echo no space left >&2; exit 3' };
    expect(await refusalOf(openOwnEventStore(broken))).to.match(
      /TEST_EVENT_STORE_RESET failed \(exit code 3\): .*\nno space left/,
    );
    const stuck = { ...env, TEST_EVENT_STORE_STRIKES: 'kill=echo who is it; false;;start=true' };
    const own = await openOwnEventStore(stuck);
    expect(await refusalOf(own.strike('kill'))).to.match(
      /The strike "kill" failed \(exit code 1\): .*\nwho is it/,
    );
    expect(await refusalOf(own.strike('freeze'))).to.contain('TEST_EVENT_STORE_STRIKES names no freeze');
  });

  it('must have been emptied', async () => {
    const log = await openEventStoreDb({ address: (await openOwnEventStore(env)).address });
    await log.append(newStream(), NO_STREAM, [anEvent()]);
    await log.close();
    const idle = { ...env, TEST_EVENT_STORE_RESET: 'true' };
    expect(await refusalOf(openOwnEventStore(idle))).to.contain('left events in the log: true');
  });

  it('is named in full, or the tests do not begin', async () => {
    for (const strikes of ['kill', 'kill=', 'kil=true', 'kill=true;;kill=true', 'kill=true;;', 'kill=true']) {
      const opening = openOwnEventStore({ ...env, TEST_EVENT_STORE_STRIKES: strikes });
      expect(await refusalOf(opening), strikes).to.contain('TEST_EVENT_STORE_STRIKES');
    }
    const { TEST_EVENT_STORE, TEST_EVENT_STORE_RESET, TEST_EVENT_STORE_STRIKES } = env;
    expect(await refusalOf(openOwnEventStore({ TEST_EVENT_STORE_RESET }))).to.contain('it names none');
    expect(await refusalOf(openOwnEventStore({ TEST_EVENT_STORE, TEST_EVENT_STORE_STRIKES }))).to.contain(
      'TEST_EVENT_STORE_STRIKES needs TEST_EVENT_STORE_RESET',
    );
  });
});
