import { claimDecider } from '#command/engine/claim.decider.ts';
import { claimEvents } from '#events/customer.events.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { given } from '#test/support/given.ts';

const { ClaimReleased, ValueClaimed } = claimEvents.create;
const [ada, bob] = [idNamed('ada'), idNamed('bob')];

const claim = (ownerId: string, goneOwnerId?: string) =>
  ({ type: 'ClaimValue', kind: 'sku', ownerId, ...(goneOwnerId ? { goneOwnerId } : {}) }) as const;
const release = (ownerId: string) => ({ type: 'ReleaseClaim', kind: 'sku', ownerId }) as const;
const heldByAda = given(claimDecider).after(claim(ada));

describe('a claim', () => {
  it('has one owner, and a repeat changes nothing', () => {
    given(claimDecider)
      .when(claim(ada))
      .then([ValueClaimed({ kind: 'sku', ownerId: ada })]);
    heldByAda.when(claim(ada)).thenNothing();
    heldByAda.when(claim(bob)).thenRefused('value-taken', { ownerId: ada });
  });

  it('is released by its owner alone', () => {
    heldByAda.when(release(bob)).thenNothing();
    heldByAda.when(release(ada)).then([ClaimReleased({ kind: 'sku', ownerId: ada })]);
    heldByAda
      .after(release(ada))
      .when(claim(bob))
      .thenLike(['ValueClaimed', { ownerId: bob }]);
  });

  it('passes from an owner who is gone to the next one, and from no other', () => {
    heldByAda
      .when(claim(bob, ada))
      .thenLike(['ClaimReleased', { ownerId: ada }], ['ValueClaimed', { ownerId: bob }]);
    heldByAda.when(claim(bob, idNamed('carol'))).thenRefused('value-taken');
  });
});
