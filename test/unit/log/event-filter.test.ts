import { expect } from 'chai';
import { wantedBy, type EventFilter } from '#log/event-filter.ts';
import type { StoredEvent } from '#ports/event-store.ts';
import { backofficeUserId } from '#runtime/backoffice-users.ts';

const basketId = '00000000-0000-4000-8000-00000000000a';
const customerId = '00000000-0000-4000-8000-00000000000c';
const request = '0190a000-0000-7000-8000-000000000001';
const anna = backofficeUserId('anna@example.com');

const stored = (stream: string, actor: object, more: object = {}): StoredEvent => ({
  id: 'an id',
  type: 'ThingDone',
  stream,
  revision: 0,
  position: 1,
  data: '{}',
  metadata: JSON.stringify({
    schemaVersion: 1,
    recordedAt: '2026-03-01T12:00:00.000Z',
    correlationId: request,
    actor,
    ...more,
  }),
});

const byAnna = stored(`invoice-${basketId}`, { kind: 'backoffice', id: anna }, { subject: customerId });
const byVisitor = stored(`basket-${basketId}`, { kind: 'visitor', id: null }, { correlationId: 'theirs' });
const byJob = stored(`customer-${customerId}`, { kind: 'system', id: 'release-holds' });
const damaged = { ...byAnna, metadata: `${anna} "${anna}" no JSON` };
const log = { byAnna, byVisitor, byJob, damaged };

const found = (filter: EventFilter): readonly string[] => {
  const isWanted = wantedBy(filter);
  return Object.entries(log).flatMap(([name, event]) => (isWanted(event) ? [name] : []));
};

describe('A filter of the event log', () => {
  const cases: readonly (readonly [what: string, filter: EventFilter, expected: readonly string[]])[] = [
    ['nothing at all', {}, ['byAnna', 'byVisitor', 'byJob', 'damaged']],
    ['a kind of actor', { actor: 'visitor' }, ['byVisitor']],
    ['the id of an actor', { actor: anna }, ['byAnna']],
    ['kind and id', { actor: 'system:release-holds' }, ['byJob']],
    ['an id of another kind', { actor: `visitor:${anna}` }, []],
    ['the e-mail address of a backoffice user, in any case', { actor: 'Anna@Example.com' }, ['byAnna']],
    ['a category', { category: 'basket' }, ['byVisitor']],
    ['no part of a category', { category: 'bask' }, []],
    ['a correlation id', { correlationId: 'theirs' }, ['byVisitor']],
    ['a subject, by its streams and where it is named', { subject: customerId }, ['byAnna', 'byJob']],
    ['a basket as a subject', { subject: basketId }, ['byAnna', 'byVisitor', 'damaged']],
    ['all of several', { subject: customerId, actor: 'backoffice' }, ['byAnna']],
    [
      'the instant itself',
      { from: Date.UTC(2026, 2, 1, 12), to: Date.UTC(2026, 2, 1, 12) },
      ['byAnna', 'byVisitor', 'byJob'],
    ],
    ['later ones', { from: Date.UTC(2026, 2, 1, 12) + 1 }, []],
  ];
  for (const [what, filter, expected] of cases)
    it(`by ${what}`, () => {
      expect(found(filter)).to.deep.equal(expected);
    });
});
