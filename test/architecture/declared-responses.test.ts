import { expect } from 'chai';
import { anyone, noContent, ok, route } from '#http/route.ts';
import { Rejection } from '#kernel/rejection.ts';
import { Api } from '#test/support/api.ts';

const base = { method: 'GET', base: 'root', service: 'command', file: 'test', caller: anyone } as const;
const refuse = async () => {
  throw new Rejection('out-of-stock', 'None left.');
};

/** What the test client says of an answer; null where it has nothing against it. */
const said = async (given: Partial<Parameters<typeof route>[0]>): Promise<string | null> => {
  const api = await Api.open([route({ ...base, path: '/', summary: '', handle: refuse, ...given })]);
  try {
    await api.get('/');
    return null;
  } catch (error) {
    return String(error);
  } finally {
    await api.close();
  }
};

describe('The test client', () => {
  it('fails a test when a route refuses for a reason that it does not declare', async () => {
    expect(await said({})).to.include('answers out-of-stock, which it does not declare');
    expect(await said({ errors: ['out-of-stock'] })).to.equal(null);
  });

  it('fails a test when a route answers with a status that it does not declare', async () => {
    expect(await said({ handle: async () => ok({}) })).to.include('answers 200 and declares 204');
    expect(await said({ handle: async () => noContent() })).to.equal(null);
    expect(await said({ handle: () => Promise.reject(new Error('a defect')) })).to.include('answers 500');
  });
});
