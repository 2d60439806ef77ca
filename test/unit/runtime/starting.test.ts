import { expect } from 'chai';
import { listen } from '#http/server.ts';
import { startingApp } from '#http/starting.ts';

describe('A shop that is being opened', () => {
  it('has no answer that a browser may guess at or keep', async () => {
    const server = await listen(
      startingApp({ reason: () => 'opening the engines', isApiKey: () => false }),
      0,
      '127.0.0.1',
    );
    try {
      for (const path of ['/health/live', '/health/ready', '/api/shop/storefront/basket']) {
        const { headers } = await fetch(`http://127.0.0.1:${server.port}${path}`);
        expect(headers.get('x-content-type-options')).to.equal('nosniff');
        expect(headers.get('cache-control')).to.equal('no-store');
      }
    } finally {
      await server.stop();
    }
  });
});
