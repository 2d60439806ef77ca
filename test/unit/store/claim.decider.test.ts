import { claimDecider, type ClaimState } from '#command/engine/claim.decider.ts';
import { claimEvents } from '#events/customer.events.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { given } from '#test/support/given.ts';

const { ClaimReleased, ClaimRenewed, ValueClaimed } = claimEvents.create;
const [ada, bob] = [idNamed('ada'), idNamed('bob')];

const [noon, later] = ['2030-01-05T12:00:00.000Z', '2030-01-05T12:01:00.000Z'];

const claim = (ownerId: string, gone?: ClaimState, at = noon) =>
  ({ type: 'ClaimValue', kind: 'sku', ownerId, at, ...(gone ? { gone } : {}) }) as const;
const release = (ownerId: string) => ({ type: 'ReleaseClaim', kind: 'sku', ownerId }) as const;
const heldByAda = given(claimDecider).after(claim(ada));

describe('a claim', () => {
  it('has one owner, and a repeat renews it', () => {
    given(claimDecider)
      .when(claim(ada))
      .then([ValueClaimed({ kind: 'sku', ownerId: ada, at: noon })]);
    heldByAda.when(claim(ada)).thenNothing();
    heldByAda
      .when(claim(ada, undefined, later))
      .then([ClaimRenewed({ kind: 'sku', ownerId: ada, at: later })]);
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

  it('passes from an owner that is gone to the next one, and from no other', () => {
    heldByAda
      .when(claim(bob, { ownerId: ada, since: noon }))
      .thenLike(['ClaimReleased', { ownerId: ada }], ['ValueClaimed', { ownerId: bob }]);
    heldByAda.when(claim(bob, { ownerId: idNamed('carol'), since: noon })).thenRefused('value-taken');
    heldByAda
      .after(claim(ada, undefined, later))
      .when(claim(bob, { ownerId: ada, since: noon }))
      .thenRefused('value-taken');
  });
});
