import { expect } from 'chai';
import { createCrossOrigin } from '#http/cross-origin.ts';
import { listen } from '#http/server.ts';
import { startingApp } from '#http/starting.ts';

describe('A shop that is being opened', () => {
  it('gives responses that a browser neither guesses at nor keeps, each with its correlation id', async () => {
    const server = await listen(
      startingApp({
        reason: () => 'opening the engines',
        isApiKey: () => false,
        crossOrigin: createCrossOrigin([], null),
      }),
      0,
      '127.0.0.1',
    );
    try {
      for (const path of ['/health', '/health/live', '/health/ready', '/api/shop/storefront/basket']) {
        const { headers } = await fetch(`http://127.0.0.1:${server.port}${path}`, {
          headers: { 'X-Correlation-Id': 'asked-early' },
        });
        expect(headers.get('x-content-type-options')).to.equal('nosniff');
        expect(headers.get('cache-control')).to.equal('no-store');
        expect(headers.get('x-correlation-id')).to.equal('asked-early');
      }
    } finally {
      await server.stop();
    }
  });
});
