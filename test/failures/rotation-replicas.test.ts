import { expect } from 'chai';
import { DistributedShop, sharedMemory, type Replica } from '#test/support/distributed-shop.ts';
import { holds } from '#test/support/faults.ts';
import { get, manage } from '#test/support/requests.ts';
import { services } from '#values/service.ts';

// docs/rules/agents.md#signing-keys
describe('Signing keys of a shop in several processes', () => {
  let shop: DistributedShop;
  const { log, open } = sharedMemory();
  let processes: readonly Replica[];
  let commands: readonly [Replica, Replica];
  before(async () => {
    shop = await DistributedShop.open({ engines: open, replicas: { command: 2 } });
    processes = services.flatMap((service) => shop.replicas(service));
    const [one, other] = shop.replicas('command');
    if (!one || !other) throw new Error('there are two');
    commands = [one, other];
  });
  after(() => shop.close());

  const keys = async () => {
    const { body } = await shop.admin.ask(manage.get('/agent-keys'));
    return body.items as { kid: string; state: string }[];
  };
  const states = async () => (await keys()).map(({ state }) => state);
  const rotateAt = ({ at }: Replica, wish: object) =>
    at.admin.ask(manage.post('/agent-keys/rotate', wish)).then(({ status }) => status);
  const wait = (seconds: number) => shop.tester.post('/testing/clock', { advanceSeconds: seconds });
  const signers = () => [...new Set(processes.map(({ runtime }) => runtime.ownKeys.signer().kid))];
  const isNewKey = holds('SigningKeyCreated');

  it('begin with one that all of them sign with', async () => {
    expect(await states()).to.deep.equal(['active']);
    expect(signers()).to.have.length(1);
  });

  for (const [what, wish, after] of [
    ['for later', {}, ['coming', 'active']],
    ['at once', { immediately: true }, ['active', 'retiring', 'retiring']],
  ] as const)
    it(`are rotated once ${what}, though a second process is just before the first`, async () => {
      let other: Promise<number> | undefined;
      log.runBefore('append', isNewKey, async () => {
        await (other = rotateAt(commands[1], wish));
      });
      expect(await rotateAt(commands[0], wish)).to.equal(200);
      expect(await other).to.equal(200);
      await shop.settle();
      expect(await states()).to.deep.equal(after);
      expect(signers()).to.have.length(1);
    });

  it('sign by the new key in every process, and each shows it', async () => {
    const [newest] = await keys();
    expect(signers()).to.deep.equal([newest?.kid]);
    for (const { at } of commands) {
      const { body } = await at.admin.ask(get('/.well-known/ucp'));
      expect((body.signing_keys as { kid: string }[]).map(({ kid }) => kid)).to.include(newest?.kid);
    }
  });

  it('are signed with from the same instant, without anything that tells a process so', async () => {
    await rotateAt(commands[0], {});
    await shop.settle();
    const [coming, former] = await keys();
    const head = await log.head();
    expect(signers()).to.deep.equal([former?.kid]);
    await wait(3600);
    expect(signers()).to.deep.equal([coming?.kid]);
    expect(await log.head()).to.equal(head);
  });
});
