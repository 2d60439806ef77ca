import { expect } from 'chai';
import { useMortalShop } from '#test/support/mortal-shop.ts';
import { get, keyed, manage } from '#test/support/requests.ts';

const WEEK = 7 * 24 * 3600;

// docs/rules/agents.md#signing-keys
describe('a shop that is killed while it rotates its signing keys', () => {
  const at = useMortalShop();

  const rotate = (wish: object) =>
    at.shop.admin.ask(keyed('the-same-key', manage.post('/agent-keys/rotate', wish)));
  const states = async () => {
    const { body } = await at.shop.admin.ask(manage.get('/agent-keys'));
    return (body.items as { state: string }[]).map(({ state }) => state);
  };
  const published = async () => {
    const { body } = await at.shop.admin.ask(get('/.well-known/ucp'));
    return (body.signing_keys as { kid: string }[]).map(({ kid }) => kid);
  };

  const wishes = [
    ['for later', {}, ['coming', 'active']],
    ['at once', { immediately: true }, ['active', 'retiring']],
    ['after a leak', { immediately: true, removeFormer: true }, ['active', 'removed']],
  ] as const;
  for (const [what, wish, after] of wishes)
    for (const when of ['before', 'after'] as const)
      it(`${what}, ${when} the append, has one that signs, and rotates once when that is asked again`, async () => {
        const [first] = await published();
        at.shop.dieNext({ when, eventType: 'SigningKeyCreated' });
        await at.shop.killedBy(rotate(wish));
        expect(await states()).to.deep.equal(when === 'before' ? ['active'] : after);
        if (when === 'before') expect(await published()).to.deep.equal([first]);
        const { status, text } = await rotate(wish);
        expect(status, text).to.equal(200);
        expect(await states()).to.deep.equal(after);
      });

  for (const when of ['before', 'after'] as const)
    it(`${when} a key is removed, removes it once when the job runs again`, async () => {
      const job = () => at.shop.tester.post('/testing/jobs/rotate-signing-keys');
      await rotate({ immediately: true });
      await at.shop.tester.post('/testing/clock', { advanceSeconds: WEEK });
      at.shop.dieNext({ when, eventType: 'SigningKeyRemoved' });
      await at.shop.killedBy(job());
      expect(await states()).to.deep.equal(['active', when === 'before' ? 'retiring' : 'removed']);
      expect((await job()).body).to.deep.equal({ rotated: 0, removed: when === 'before' ? 1 : 0 });
      expect(await states()).to.deep.equal(['active', 'removed']);
    });
});
