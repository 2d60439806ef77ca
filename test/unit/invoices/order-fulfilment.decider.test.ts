import type { FulfilmentCommand } from '#command/contexts/invoices/fulfilment/fulfilment.commands.ts';
import { referenceId } from '#command/contexts/invoices/fulfilment/fulfilments.state.ts';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import type { ChosenProvider } from '#reference/chosen-provider.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import { derivedId } from '#kernel/ids.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { decidedAt, invoice } from '#test/support/builders/invoice.ts';
import { given, inContext } from '#test/support/given.ts';

const {
  FulfilmentAttemptFailed,
  FulfilmentSubmissionAttempted,
  FulfilmentSubmitted,
  InvoiceNoted,
  OrderStatusChanged,
} = invoiceEvents.create;

const mugs = invoice('mugs');
const orderId = idNamed('order');
const house: ChosenProvider = { configurationId: idNamed('house'), providerKey: 'generic-http' };
const now = '2026-03-01T10:00:00.000Z';
const at = (time: string, chosen: ChosenProvider | null = house) =>
  inContext(invoiceDecider, () => decidedAt(time, { today: '2026-03-01', providerFor: () => chosen }));
const named = { orderId, ...house };
const begin: FulfilmentCommand = { type: 'BeginSubmission', orderId, source: 'PaymentCreated' };
const release: FulfilmentCommand = { ...begin, source: 'ExplicitRelease' };
const retries = { maxAttempts: 2, delaysMinutes: [5] };
const record = (reference: string): FulfilmentCommand => ({
  ...{ type: 'RecordSubmission', orderId, retries },
  outcome: { kind: 'submitted', reference, status: null },
});
const failedTwice: FulfilmentCommand = {
  ...{ type: 'RecordSubmission', orderId, retries },
  outcome: { kind: 'failed', message: 'nobody is there' },
};
const attempted = (askedAt = now, source: 'PaymentCreated' | 'ExplicitRelease' = 'PaymentCreated') =>
  FulfilmentSubmissionAttempted({ ...named, key: derivedId('fulfilment', orderId), source, askedAt });
const submitted = FulfilmentSubmitted({
  ...named,
  ...{ reference: 'R1', referenceId: referenceId(house.configurationId, 'R1') },
  ...{ providerStatus: null, submittedAt: now, openSubmissions: 0 },
});
const failed = (retryCount: number, nextAt: string | null) =>
  FulfilmentAttemptFailed({
    ...{ ...named, message: 'nobody is there', retryCount, nextAt, isFinal: nextAt === null },
    ...{ failedAt: now, openSubmissions: 0 },
  });
describe('an order that a provider sends (docs/rules/fulfilment.md#submission)', () => {
  const unpaid = given(at(now), [mugs.placed]);
  const paid = unpaid.happened(mugs.captured(), mugs.moved('ReadyToFulfill'), mugs.confirmed());
  const again = '2026-03-01T10:05:00.000Z';
  const tried = paid.happened(attempted(), mugs.moved('Processing'), failed(1, again));

  it('is asked for once while an answer is owed, and never again once there is one', () => {
    paid.happened(attempted()).when(begin).thenNothing();
    paid.happened(attempted(), submitted).when(begin).thenNothing();
  });

  it('waits while it is not paid, on hold or cancelled, and where no provider sends it', () => {
    unpaid.when(begin).thenNothing();
    for (const status of ['OnHold', 'Cancelled'] as const)
      paid.happened(mugs.moved(status)).when(begin).thenNothing();
    paid.now(at(now, null)).when(begin).thenNothing();
  });

  it('is not released by staff then, who are told why', () => {
    unpaid.when(release).thenRefused('invalid-request');
    for (const status of ['OnHold', 'Cancelled'] as const)
      paid.happened(mugs.moved(status)).when(release).thenRefused('invalid-request');
  });

  it('is tried again when its time has come, and not before', () => {
    tried.now(at('2026-03-01T10:04:59.000Z')).when(begin).thenNothing();
    tried
      .now(at(again))
      .when(begin)
      .then([attempted(again)]);
  });

  it('is given up at the last try, and its order has failed', () => {
    tried
      .happened(attempted(again))
      .when(failedTwice)
      .then([
        failed(2, null),
        OrderStatusChanged({
          ...{ orderId, from: 'Processing', to: 'FulfilmentFailed', reason: 'nobody is there' },
          ...mugs.invoiceName,
          changedDay: '2026-03-01',
        }),
      ]);
  });

  it('keeps the reference that came first, and has staff look at a second one', () => {
    const taken = paid.happened(attempted(), submitted);
    taken.when(record('R1')).thenNothing();
    const note = InvoiceNoted({
      noteId: derivedId('other-reference', orderId, 'R2'),
      text: 'The fulfilment provider has taken this order twice: as R1, which counts, and as R2.',
      isVisibleToCustomer: false,
      author: 'fulfilment',
      notedAt: now,
    });
    taken.when(record('R2')).then([note]);
    taken.happened(note).when(record('R2')).thenNothing();
  });
});
