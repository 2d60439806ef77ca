import { expect } from 'chai';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import {
  createProviderUpdates,
  type ProviderUpdateDeps,
} from '#command/contexts/fulfilment/callbacks/provider-updates.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { FulfilmentUpdates } from '#ports/fulfilment-provider.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { given } from '#test/support/given.ts';

const { FulfilmentSubmissionAttempted, FulfilmentSubmitted } = invoiceEvents.create;
const mugs = invoice('mugs');
const at = '2026-03-01T10:00:00.000Z';
const configurationId = idNamed('house');
const named = { orderId: idNamed('order'), configurationId, providerKey: 'generic-http' };
const submitted = [
  mugs.placed,
  FulfilmentSubmissionAttempted({ ...named, key: idNamed('key'), source: 'PaymentCreated', askedAt: at }),
  FulfilmentSubmitted({
    ...{ ...named, reference: 'R1', referenceId: idNamed('R1'), providerStatus: null },
    ...{ submittedAt: at, openSubmissions: 0 },
  }),
];
const cancelled: FulfilmentUpdates = {
  eventType: 'order.cancelled',
  statusUpdates: [
    {
      ...{ providerReference: 'R1', providerStatus: 'cancelled', mappedStatus: 'Cancelled' },
      ...{ statusDate: null, errorMessage: null },
    },
  ],
  shipmentUpdates: [],
  inventoryUpdates: [],
};

/** What is recorded of that word where the order cannot be moved for this reason. */
const heard = async (code: 'payment-unknown' | 'status-not-possible') => {
  const commands: string[] = [];
  const deps = {
    streams: {
      load: () => Promise.resolve({ state: given(invoiceDecider, submitted).state() }),
      send: (_kind: unknown, _id: string, { type }: { readonly type: string }) =>
        Promise.resolve(commands.push(type)),
    },
    apis: {
      orders: {
        invoiceOf: () => Promise.resolve(mugs.id),
        moveOrder: () => Promise.reject(new Rejection(code, 'No.')),
      },
    },
    log: { warn: () => undefined },
  } as unknown as ProviderUpdateDeps;
  const meta = { correlationId: 'c', causationId: 'c', actor: { kind: 'system', id: 'house' } } as const;
  const applied = createProviderUpdates(deps).apply({ configurationId, messageId: 'm' }, cancelled, meta);
  return { applied, commands };
};

describe('what a fulfilment provider says that cannot be done (docs/rules/fulfilment.md#what-providers-say)', () => {
  it('is noted where it never can', async () => {
    const { applied, commands } = await heard('status-not-possible');
    expect((await applied).actions).to.deep.equal(['Ignored: No.']);
    expect(commands).to.deep.equal(['NoteProviderStatus', 'NoteFulfilment']);
  });

  it('is said again where it only has to wait', async () => {
    const { applied, commands } = await heard('payment-unknown');
    expect(await applied.catch((error: unknown) => error)).to.include({ code: 'payment-unknown' });
    expect(commands).to.deep.equal([]);
  });
});
