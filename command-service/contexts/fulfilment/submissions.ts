import type { CommandMeta } from '#command/engine/command-engine.ts';
import { createInstances, type Performs } from '#command/engine/run-process.ts';
import type { RunAlone } from '#command/engine/run-alone.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { notFound } from '#kernel/entity.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { SubmissionOutcome } from '#ports/fulfilment-provider.ts';
import { fulfilmentOf, type OrderFulfilment } from '../invoices/fulfilment/fulfilments.state.ts';
import { isKnown, type InvoiceState, type KnownInvoice } from '../invoices/invoice.state.ts';
import { leftToShip, orderOf } from '../invoices/fulfilment/shipments.state.ts';
import { providerOf, supplierOf } from '#reference/chosen-provider.ts';
import type { BeginSubmission, RetryRules } from '../invoices/fulfilment/fulfilment.commands.ts';
import type { KnownConfigurations } from './known-configuration.ts';
import { invoiceStream } from '../invoices/invoice.stream.ts';
import { providerOrder } from './provider-order.ts';
import { submitOrder, type OpenSubmission, type SubmissionCalls } from './submit-order.process.ts';

export interface SubmissionDeps extends Pick<CommandDeps, 'streams' | 'reference' | 'apis'> {
  readonly known: KnownConfigurations;
  readonly retries: RetryRules;
  readonly runAlone?: RunAlone;
}

export interface Submitted {
  readonly invoice: KnownInvoice;
  readonly fulfilment: OrderFulfilment | undefined;
  /** True if this call began something new. */
  readonly isNews: boolean;
  readonly position: number;
}

const notDone = (message: string): SubmissionOutcome => ({ kind: 'failed', message });

/** The one shipment created when the provider accepts the order. */
const shipmentIdOf = (orderId: string): string => derivedId('submitted-shipment', orderId);

/** Units left to ship; those of a shipment created before a crash count. */
const unitsToSend = (invoice: KnownInvoice, orderId: string): ReadonlyMap<string, number> => {
  const made = invoice.shipments.find(({ shipmentId }) => shipmentId === shipmentIdOf(orderId));
  const lines = [...leftToShip(invoice, orderId), ...(made?.lines ?? [])];
  return new Map(lines.map(({ lineId, quantity }) => [lineId, quantity]));
};

/** Asks the order's provider; a deleted or inactive one counts as failed. */
const asking =
  ({ known, reference }: SubmissionDeps) =>
  async ({ invoice, fulfilment }: OpenSubmission): Promise<SubmissionOutcome> => {
    const setUp = known.find(fulfilment.configurationId);
    if (!setUp) return notDone('the fulfilment provider is not set up any more');
    if (!setUp.settings.isEnabled) return notDone('the fulfilment provider is switched off');
    const order = orderOf(invoice, fulfilment.orderId);
    const { provider, settings } = setUp;
    if (!order || !provider.submitOrder) return { kind: 'refused', message: 'the provider takes no orders' };
    const units = unitsToSend(invoice, order.orderId);
    if (units.size === 0) return { kind: 'refused', message: 'nothing of the order is left to be sent' };
    const owner = supplierOf(reference, order.warehouseId);
    return provider.submitOrder(settings.configuration, providerOrder(invoice, order, units), {
      idempotencyKey: fulfilment.key,
      supplier: owner && { name: owner.name, contactEmail: owner.contactEmail },
      subject: invoice.content.customerId,
    });
  };

const underWay = (state: InvoiceState): readonly OrderFulfilment[] =>
  isKnown(state) ? state.fulfilments.filter((one) => one.isUnderWay) : [];

/** Errors: `entity-not-found`. */
const findingOrder =
  ({ streams, apis }: SubmissionDeps) =>
  async (orderId: string) => {
    const invoiceId = await apis.orders.invoiceOf(orderId);
    if (invoiceId === null) throw notFound('order');
    const { state } = await streams.load(invoiceStream, invoiceId);
    const order = isKnown(state) ? orderOf(state, orderId) : undefined;
    if (!isKnown(state) || !order) throw notFound('order');
    return { invoiceId, warehouseId: order.warehouseId, fulfilment: fulfilmentOf(state, orderId) };
  };

type Submit = (
  invoiceId: string,
  orderId: string,
  source: BeginSubmission['source'],
  meta: CommandMeta,
) => Promise<Submitted>;

const refused = (message: string): Rejection => new Rejection('invalid-request', message);

/** Submissions by staff, who wait for the outcome. */
const byStaff = (deps: SubmissionDeps, submit: Submit) => {
  const { reference } = deps;
  const find = findingOrder(deps);
  return {
    /** Releases an order to its supplier. Errors: `entity-not-found`, `invalid-request` if it cannot be released. */
    release: async (orderId: string, meta: CommandMeta): Promise<Submitted> => {
      const { invoiceId, warehouseId } = await find(orderId);
      if (!providerOf(reference, warehouseId)?.isByRelease)
        throw refused('The order does not wait for a release to its supplier.');
      return submit(invoiceId, orderId, 'ExplicitRelease', meta);
    },
    /**
     * Submits an order to its provider now. Errors: `entity-not-found`, `invalid-request` if it has no provider or
     * cannot be submitted.
     */
    submitNow: async (orderId: string, meta: CommandMeta): Promise<Submitted> => {
      const { invoiceId, warehouseId, fulfilment } = await find(orderId);
      const { reference: taken = null, isUnderWay = false, nextAt = null } = fulfilment ?? {};
      const isWithOne = taken !== null || isUnderWay || nextAt !== null;
      if (!isWithOne && !providerOf(reference, warehouseId))
        throw refused('The warehouse of the order has no fulfilment provider.');
      return submit(invoiceId, orderId, 'ExplicitRelease', meta);
    },
  };
};

/** Submits orders to providers, each once (docs/rules/fulfilment.md#submission). */
export const createSubmissions = (deps: SubmissionDeps) => {
  const { streams, apis, known, retries, runAlone } = deps;
  const calls: Performs<SubmissionCalls> = {
    submit: asking(deps),
    createShipment: (orderId, meta) =>
      apis.orders.createShipment({ shipmentId: shipmentIdOf(orderId), orderId, lines: null }, meta),
  };
  const instances = createInstances({
    process: submitOrder,
    calls,
    streams,
    ...(runAlone && { runAlone }),
  });
  const load = async (invoiceId: string) => (await streams.load(invoiceStream, invoiceId)).state;

  const open = async (invoiceId: string, orderId: string): Promise<OpenSubmission | null> => {
    const invoice = await load(invoiceId);
    const fulfilment = underWay(invoice).find((one) => one.orderId === orderId);
    if (!isKnown(invoice) || !fulfilment) return null;
    const setUp = known.find(fulfilment.configurationId);
    const createsShipment = setUp?.provider.description.createsShipmentOnSubmission ?? false;
    return { invoiceId, invoice, fulfilment, createsShipment, retries };
  };

  const drive = (invoiceId: string, orderId: string, meta: CommandMeta) =>
    instances.run(orderId, meta, () => open(invoiceId, orderId));

  const submit = async (
    invoiceId: string,
    orderId: string,
    source: BeginSubmission['source'],
    meta: CommandMeta,
  ): Promise<Submitted> => {
    const command = { type: 'BeginSubmission', orderId, source } as const;
    const begun = await streams.send(invoiceStream, invoiceId, command, meta);
    const run = await drive(invoiceId, orderId, meta);
    const state = await load(invoiceId);
    if (!isKnown(state)) throw notFound('order');
    return {
      invoice: state,
      fulfilment: fulfilmentOf(state, orderId),
      isNews: begun.events.length > 0,
      position: Math.max(begun.position, run?.position ?? 0),
    };
  };

  return {
    submit,
    /** Asks again if a crash left an attempt without an answer. */
    resume: async (invoiceId: string, meta: CommandMeta): Promise<void> => {
      for (const { orderId } of underWay(await load(invoiceId))) await drive(invoiceId, orderId, meta);
    },
    drain: () => instances.drain(),
    ...byStaff(deps, submit),
  };
};

export type Submissions = ReturnType<typeof createSubmissions>;
