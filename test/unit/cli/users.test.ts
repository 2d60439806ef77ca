import { expect } from 'chai';
import { listUsers, type Users } from '#command/cli/users.ts';

// docs/rules/identity.md#command-line
describe('tillroll users list', () => {
  it('tells the ids by which events and rebuilds name who asked', async () => {
    const all = async () => [
      { id: 'id-of-ada', email: 'ada@example.com', role: 'admin' as const, isDisabled: false },
      { id: 'id-of-bob', email: 'bob@example.com', role: 'auditor' as const, isDisabled: true },
    ];
    expect(await listUsers({ all } as unknown as Users)).to.equal(
      'ada@example.com  admin  id-of-ada\nbob@example.com  auditor  id-of-bob  disabled\n',
    );
  });
});
