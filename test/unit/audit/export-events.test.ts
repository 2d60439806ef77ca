import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { Rejection } from '#kernel/rejection.ts';
import { createEventExports } from '#projection/contexts/audit/export-events.ts';
import { appendPlain } from '#test/support/plain-log.ts';
import { when } from '#test/support/refusal.ts';

describe('An export of the log (docs/rules/audit.md#search)', () => {
  it('is refused before a line of it is answered while the index of time is being filled', async () => {
    const store = createMemoryEventStore();
    const events = Array.from({ length: 10_200 }, () => ({ type: 'Counted', data: {} }));
    await appendPlain(store, 'counter-1', events);
    const exports = createEventExports({ store, readStore: createMemoryDocumentStore() });
    const open = (direction: 'forwards' | 'backwards') => exports.open({ filter: {}, direction }, 3);
    // As many as may be open: those that were refused are not.
    for (let turn = 0; turn < 10; turn++) {
      const refused = await when(open('backwards')).thenFails(Rejection);
      expect(refused.code).to.equal('view-being-filled');
    }
    const lines = (await text(await open('forwards'))).trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { position: number }).position)).to.deep.equal([1, 2, 3]);
  });
});
