import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { createReadiness } from '#runtime/health.ts';
import { createShutdown } from '#runtime/shutdown.ts';
import { createMetrics } from '#runtime/metrics.ts';

const log = { info: () => undefined, error: () => undefined };

describe('A process that ends', () => {
  it('closes what was opened last first, once, and says that it is at it', async () => {
    const closed: string[] = [];
    const shutdown = createShutdown({ log });
    for (const name of ['engines', 'projections', 'http'])
      shutdown.add(name, async () => {
        closed.push(name);
      });
    expect(shutdown.isUnderWay).to.equal(false);
    const [first, second] = [shutdown.run('SIGTERM'), shutdown.run('SIGINT')];
    expect(shutdown.isUnderWay).to.equal(true);
    expect([await first, await second]).to.deep.equal([true, true]);
    expect(closed).to.deep.equal(['http', 'projections', 'engines']);
  });

  it('goes on when something cannot be closed, and says that it was not clean', async () => {
    const closed: string[] = [];
    const shutdown = createShutdown({ log });
    shutdown.add('engines', () => void closed.push('engines'));
    shutdown.add('http', () => Promise.reject(new Error('stuck')));
    expect(await shutdown.run('SIGTERM')).to.equal(false);
    expect(closed).to.deep.equal(['engines']);
  });

  it('gives up when it takes too long', async () => {
    const shutdown = createShutdown({ log, timeoutMs: 1 });
    shutdown.add('http', () => new Promise(() => undefined));
    expect(await shutdown.run('SIGTERM')).to.equal(false);
  });
});

describe('Readiness', () => {
  it('names what is not ready and why, and takes a failing check for a reason', async () => {
    const readiness = createReadiness([{ name: 'log', check: () => null }]);
    expect(await readiness.problems()).to.deep.equal([]);
    readiness.add({ name: 'store', check: () => 'the store file is being imported' });
    readiness.add({ name: 'state', check: () => Promise.reject(new Error('disk full')) });
    expect(await readiness.problems()).to.deep.equal([
      { name: 'store', reason: 'the store file is being imported' },
      { name: 'state', reason: 'disk full' },
    ]);
  });
});

describe('Figures', () => {
  it('count requests by declared route and read gauges when they are asked for', async () => {
    const metrics = createMetrics();
    let depth = 1;
    metrics.gauge('depth', 'How deep', () => depth);
    metrics.gauge('height', 'How high', () => Promise.resolve(depth + 1));
    metrics.counter('claims_total', 'How many', () => depth);
    metrics.gaugeBy('lag', 'How late', 'projection', () => [['basket', 3]]);
    metrics.observeRequest('GET', '/basket', 200, 0.002);
    depth = 5;
    const text = await metrics.text();
    expect(text).to.include(
      'tillroll_http_request_seconds_count{method="GET",route="/basket",status="200"} 1',
    );
    expect(text).to.include('depth 5').and.include('height 6').and.include('lag{projection="basket"} 3');
    expect(text).to.include('# TYPE claims_total counter\nclaims_total 5');
    depth = 7;
    expect(await metrics.text()).to.include('claims_total 7');
  });

  it('show what the process itself measures', async () => {
    expect(await createMetrics().text())
      .to.include('process_resident_memory_bytes ')
      .and.include('nodejs_gc_duration_seconds');
  });

  it('keep nothing of a part that is gone', async () => {
    const ofPart = () => {
      const part = { depth: 1 };
      createMetrics().gauge('depth', 'How deep', () => part.depth);
      return new WeakRef(part);
    };
    const parts = [ofPart(), ofPart(), ofPart()];
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    await wait(1);
    collectGarbage();
    expect(parts.map((part) => part.deref())).to.deep.equal([undefined, undefined, undefined]);
  });
});
