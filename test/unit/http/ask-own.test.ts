import { expect } from 'chai';
import { askOwn } from '#http/ask-own.ts';
import { startReceiver } from '#test/support/receiver.ts';

const question = { method: 'GET', path: '/.well-known/ucp', headers: {} } as const;

// docs/rules/agents.md#trying-it-out
describe('A shop that asks itself', () => {
  const askAt = (port: number, deadlineMs?: number) =>
    askOwn({ takenAt: { host: '127.0.0.1', port }, header: () => undefined }, question, deadlineMs);

  it('is told why where nothing answers', async () => {
    const receiver = await startReceiver();
    await receiver.close();
    const { statusCode, body } = await askAt(receiver.port);
    expect(statusCode).to.equal(0);
    expect(body).to.have.property('message').that.includes('ECONNREFUSED');
  });

  it('gives up on an answer that does not come, or not to its end', async () => {
    for (const begin of [false, true]) {
      const receiver = await startReceiver((response) => void (begin && response.write('{')));
      const { statusCode, body } = await askAt(receiver.port, 30);
      expect(statusCode).to.equal(0);
      expect(body).to.have.property('message').that.includes('nothing came within 30 ms');
      await receiver.close();
    }
  });
});
