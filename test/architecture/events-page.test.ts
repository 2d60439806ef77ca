import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { loadConfig } from '#runtime/config.ts';
import type { EventFlow } from '../../shared-kernel/event-flow/event-flows.ts';
import { findEvent, printEvent } from '../../shared-kernel/event-flow/print-event.ts';
import { printEventsPage } from '../../shared-kernel/event-flow/print-events-page.ts';
import type { Role } from '../../shared-kernel/event-flow/registrations.ts';
import { loadEventFlows } from '../../tillroll.ts';

describe('Where an event goes', () => {
  let flows: readonly EventFlow[];
  before(async () => {
    flows = await loadEventFlows(loadConfig({ env: {} }));
  });

  const reached = (type: string, role: Role): readonly string[] =>
    findEvent(flows, type)
      .reached.filter((one) => one.role === role)
      .map(({ name }) => name);

  it('is on docs/events.md as npm run events-page writes it', () => {
    expect(
      readFileSync('docs/events.md', 'utf8') === printEventsPage(flows),
      'run npm run events-page',
    ).to.equal(true);
  });

  it('is known of a payment', () => {
    const { declared, appenders } = findEvent(flows, 'PaymentCaptured');
    const deciders = appenders.map(({ decider }) => decider.split('/').at(-1));
    expect(declared.file).to.equal('shared-kernel/events/invoice.events.ts');
    expect(deciders).to.include('payment.decider.ts').and.not.include('refund.decider.ts');
    expect(reached('PaymentCaptured', 'state')).to.deep.equal(['invoice']);
    expect(reached('PaymentCaptured', 'view')).to.include.members(['orders', 'payments']);
    expect(reached('PaymentCaptured', 'process')).to.include('settle-payment');
    expect(reached('PaymentCaptured', 'job')).to.include('release-reservations');
    expect(reached('PaymentCaptured', 'handler')).to.deep.equal(['PaymentCreatedNotification']);
    expect(reached('PaymentCaptured', 'topic')).to.deep.equal(['invoice.paid']);
  });

  it('is known of what a declaration alone appends', () => {
    const { declared, appenders } = findEvent(flows, 'SupplierChanged');
    expect(declared.file).to.equal('shared-kernel/entities/supplier.entity.ts');
    expect(appenders).to.deep.equal([{ decider: declared.file, constructedAt: [] }]);
    expect(reached('SupplierChanged', 'state')).to.deep.equal(['supplier']);
    expect(reached('SupplierChanged', 'view')).to.deep.equal(['suppliers']);
  });

  it('begins with a decider for every event that this release writes', () => {
    expect(flows.filter(({ appenders }) => appenders.length === 0).map(({ type }) => type)).to.deep.equal([]);
  });

  it('leads to files', () => {
    const lost = flows.flatMap((flow) => flow.reached.filter(({ file }) => file === null));
    expect(new Set(lost.map(({ role, name }) => `${role} ${name}`))).to.deep.equal(new Set());
  });

  it('is printed with files and what a process makes of the event', () => {
    const text = printEvent(findEvent(flows, 'DownloadLinksCreated'));
    expect(text).to.match(/^DownloadLinksCreated: invoice event, schema version 1$/m);
    expect(text).to.match(/^Declared in +shared-kernel\/events\/\S+:\d+$/m);
    expect(text).to.match(/^Processes +mail-downloads \(opens\) +command-service\/\S+\.process\.ts$/m);
    expect(text).to.match(
      /^Webhook topics +digital\.delivered +shared-kernel\/topics\/digital\.topics\.ts$/m,
    );
  });

  it('is not known of another type, which is answered with the ones that may be meant', () => {
    expect(() => findEvent(flows, 'PaymentCapture')).to.throw(
      /no event type PaymentCapture\. Similar: PaymentCaptured, /,
    );
    expect(() => findEvent(flows, 'BasketLineAded')).to.throw(/Similar: BasketLineAdded, /);
  });
});
