import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { resumeOffline } from '#dispatcher/cli/resume-offline.ts';
import type { Document } from '#kernel/projection.ts';
import { loadConfig } from '#runtime/config.ts';
import { areShared } from '#runtime/config-engines.ts';
import { loadKeys } from '#runtime/keys.ts';
import { closeEngines, openEngines } from '../../../shared-kernel/open-engines.ts';
import { appendPlain } from '#test/support/plain-log.ts';
import { when } from '#test/support/refusal.ts';

const lostMark = (_id: string): Document => ({ _id, ...{ position: 700, eventId: 'lost' } });

describe('tillroll dispatch resume, where no shop runs', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tillroll-resume-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  it('says in the state store where webhooks and handlers are to go on', async () => {
    const config = loadConfig({ env: { DATA_DIR: folder } });
    loadKeys(config);
    let engines = await openEngines(config.engines);
    const head = await appendPlain(engines.store, 'door-1', [
      { type: 'Opened', data: {} },
      { type: 'Closed', data: {} },
    ]);
    for (const [collection, id] of [
      ['dispatcherCheckpoints', 'webhook-deliveries'],
      ['hookHandlers', 'hook-handlers'],
    ] as const) {
      await engines.stateStore.declare(collection);
      await engines.stateStore.write([{ collection, put: lostMark(id) }]);
    }
    const eventId = (await engines.store.eventAt(head))?.id;
    await closeEngines(engines);

    const resumed = ['hook handlers', 'webhook deliveries'];
    expect(await resumeOffline(config, 'now')).to.deep.equal({ after: head, resumed });
    expect(await resumeOffline(config, 0)).to.deep.equal({ after: 0, resumed: [] });

    engines = await openEngines(config.engines);
    const { stateStore } = engines;
    expect(await stateStore.get('dispatcherCheckpoints', 'webhook-deliveries')).to.deep.include({
      position: 0,
      quietUpTo: head,
      quietEventId: eventId,
    });
    expect(await stateStore.get('hookHandlers', 'hook-handlers')).to.deep.include({
      position: head,
      eventId,
    });
    await closeEngines(engines);
  });

  for (const [where, env, isDirect] of [
    ['in the data folder', {}, false],
    ['in part on a server', { EVENT_STORE: 'esdb://127.0.0.1:1?tls=false' }, false],
    [
      'on servers',
      { EVENT_STORE: 'esdb://127.0.0.1:1?tls=false', STATE_STORE: 'mongodb://127.0.0.1:1/tea_state' },
      true,
    ],
  ] as const) {
    it(`asks ${isDirect ? 'no process' : 'the running shop'} where log and state are ${where}`, () => {
      expect(areShared(loadConfig({ env: { DATA_DIR: folder, ...env } }).engines)).to.equal(isDirect);
    });
  }

  it('says that there is nothing to resume with engines in memory', async () => {
    const config = loadConfig({ env: { DATA_DIR: folder, STATE_STORE: 'memory:' } });
    await when(resumeOffline(config, 'now')).thenFails(Error, 'there is nothing to resume');
  });
});
