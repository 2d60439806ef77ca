import { mock } from 'node:test';
import { expect } from 'chai';
import { z } from 'zod';
import type { Idempotency } from '#http/idempotent.ts';
import { admin, created, route, type RouteRequest } from '#http/route.ts';
import { REQUEST_MILLISECONDS } from '#runtime/request-deadline.ts';
import { Api, asAdmin } from '#test/support/api.ts';

/** Each wait takes so long, by a clock that only waits move on. */
const EACH_MILLISECONDS = 3000;

// docs/architecture.md#a-command
describe('Whatever a request waits for', () => {
  let waited = 0;
  const patience: Record<string, number> = {};
  const wait = async (what: string, milliseconds: number): Promise<void> => {
    patience[what] = milliseconds;
    waited += EACH_MILLISECONDS;
  };

  before(() => void mock.method(performance, 'now', () => waited));
  after(() => mock.restoreAll());

  it('has one deadline: what comes last has what the others left', async () => {
    const change = route({
      method: 'POST',
      base: 'management',
      path: '/things',
      service: 'command',
      file: 'test',
      summary: 'Make a thing',
      caller: admin,
      schemas: { body: z.object({}) },
      status: 201,
      isIdempotent: true,
      handle: async ({ askedAt }: RouteRequest) => created('/things/1', { askedAt }, { position: 9 }),
    });
    const idempotency: Idempotency = {
      run: async ({ waitMs }, handle) => {
        await wait('the same key', waitMs);
        return handle('command');
      },
    };
    const reference = {
      isWrittenElsewhere: true,
      took: () => 0,
      whenReached: (position: number, milliseconds: number) => wait(`position ${position}`, milliseconds),
    };
    const api = await Api.open([change], { idempotency, reference });
    const headers = { ...asAdmin, 'Tillroll-Position': '7', 'Idempotency-Key': 'k' };
    const { status, body } = await api.post('/backoffice/api/v1/things', {}, headers);
    await api.close();
    expect({ status, body, patience }).to.deep.equal({
      status: 201,
      body: { askedAt: 0 },
      patience: {
        'position 7': REQUEST_MILLISECONDS,
        'the same key': REQUEST_MILLISECONDS - EACH_MILLISECONDS,
        'position 9': REQUEST_MILLISECONDS - 2 * EACH_MILLISECONDS,
      },
    });
  });
});
