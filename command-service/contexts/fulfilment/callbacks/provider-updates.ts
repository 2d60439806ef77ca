import type { Logger } from 'pino';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { derivedId, isGuid } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { FulfilmentUpdates, StatusUpdate } from '#ports/fulfilment-provider.ts';
import {
  fulfilmentOf,
  type OrderFulfilment,
  referenceId,
} from '../../invoices/fulfilment/fulfilments.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import { isKnown, type KnownInvoice } from '../../invoices/invoice.state.ts';
import { applyLevels } from '../syncs/apply-levels.ts';
import { applyShipment } from './apply-shipment.ts';

/** The configured provider, and the id of its message or answer. */
interface UpdateSource {
  readonly configurationId: string;
  readonly messageId: string;
}

/** An order found by the provider's reference. */
interface FoundOrder {
  readonly invoiceId: string;
  readonly invoice: KnownInvoice;
  readonly fulfilment: OrderFulfilment;
}

const findingOrder = ({ streams, apis }: Pick<CommandDeps, 'streams' | 'apis'>) => {
  const load = async (
    id: string,
    isIt: (invoice: KnownInvoice) => OrderFulfilment | undefined,
  ): Promise<FoundOrder | null> => {
    const invoiceId = await apis.orders.invoiceOf(id);
    const { state } = invoiceId === null ? { state: null } : await streams.load(invoiceStream, invoiceId);
    const fulfilment = state && isKnown(state) && state.status !== 'deleted' ? isIt(state) : undefined;
    if (invoiceId === null || !state || !isKnown(state) || !fulfilment) return null;
    return { invoiceId, invoice: state, fulfilment };
  };

  /** By the provider's reference, else by our own id; only an order that this provider has. */
  return async ({ configurationId }: UpdateSource, reference: string): Promise<FoundOrder | null> => {
    const known = await load(referenceId(configurationId, reference), ({ fulfilments }) =>
      fulfilments.find((one) => one.configurationId === configurationId && one.reference === reference),
    );
    const orderId = reference.toLowerCase();
    if (known || !isGuid(orderId)) return known;
    return load(orderId, (invoice) => {
      const own = fulfilmentOf(invoice, orderId);
      return own?.reference !== null && own?.configurationId === configurationId ? own : undefined;
    });
  };
};

export interface ProviderUpdateDeps extends Pick<CommandDeps, 'streams' | 'reference' | 'apis'> {
  readonly log: Pick<Logger, 'warn'>;
}

export interface AppliedUpdates {
  readonly actions: readonly string[];
  /** Stock levels applied. */
  readonly inventoryUpdates: number;
}

/** These pass: once a payment is settled, the order can be cancelled or cannot. */
const passing = new Set(['conflict', 'payment-unknown']);

/** A final refusal of one update. Any other failure may pass, so the whole message is processed again. */
const isRefusal = (error: unknown): error is Rejection =>
  error instanceof Rejection && !passing.has(error.code);

const telling = (deps: ProviderUpdateDeps) => {
  const { streams, apis, log } = deps;
  const find = findingOrder(deps);

  const note = async (
    { invoiceId, fulfilment: { orderId, providerKey } }: FoundOrder,
    { messageId }: UpdateSource,
    text: string,
    meta: CommandMeta,
  ): Promise<void> => {
    const noteId = derivedId('fulfilment-note', orderId, messageId, text);
    const command = { type: 'NoteFulfilment', noteId, text, author: providerKey } as const;
    await streams.send(invoiceStream, invoiceId, command, meta);
  };

  const applyStatus = async (
    found: FoundOrder,
    { providerStatus, mappedStatus, statusDate, errorMessage }: StatusUpdate,
    meta: CommandMeta,
  ): Promise<string> => {
    const { invoiceId, fulfilment } = found;
    const { orderId } = fulfilment;
    const said = { providerStatus, mappedStatus, statusDate, errorMessage };
    const reason = errorMessage === null ? providerStatus : `${providerStatus}: ${errorMessage}`;
    try {
      await apis.orders.moveOrder({ orderId, status: mappedStatus, reason, said }, meta);
    } catch (error) {
      const command = { type: 'NoteProviderStatus', orderId, said } as const;
      if (isRefusal(error)) await streams.send(invoiceStream, invoiceId, command, meta);
      throw error;
    }
    return `The order ${orderId} is ${mappedStatus}.`;
  };

  /** Applies one update. One that the rules forbid is noted, and does not stop the others. */
  const orNoted = async (
    teller: UpdateSource,
    reference: string,
    meta: CommandMeta,
    apply: (found: FoundOrder) => Promise<string>,
  ): Promise<string> => {
    const found = await find(teller, reference);
    if (!found) {
      log.warn({ ...teller, reference }, 'a fulfilment provider tells of an order that it does not have');
      return `There is no order ${reference} at this provider.`;
    }
    try {
      return await apply(found);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await note(found, teller, `Ignored what the fulfilment provider says: ${error.message}`, meta);
      return `Ignored: ${error.message}`;
    }
  };

  return { note, applyStatus, orNoted };
};

/** Applies what providers report to orders and stock (docs/rules/fulfilment.md#what-providers-say). */
export const createProviderUpdates = (deps: ProviderUpdateDeps) => {
  const { apis } = deps;

  const { note, applyStatus, orNoted } = telling(deps);

  return {
    /** Errors: failures to record it, so that the provider sends it again. */
    apply: async (
      teller: UpdateSource,
      updates: FulfilmentUpdates,
      meta: CommandMeta,
    ): Promise<AppliedUpdates> => {
      const { statusUpdates, shipmentUpdates, inventoryUpdates } = updates;
      const actions: string[] = [];
      for (const update of shipmentUpdates) {
        const apply = (found: FoundOrder) =>
          applyShipment(apis.orders, found, update, (text) => note(found, teller, text, meta), meta);
        actions.push(await orNoted(teller, update.providerReference, meta, apply));
      }
      for (const update of statusUpdates) {
        const apply = (found: FoundOrder) => applyStatus(found, update, meta);
        actions.push(await orNoted(teller, update.providerReference, meta, apply));
      }
      if (inventoryUpdates.length === 0) return { actions, inventoryUpdates: 0 };
      const levels = await applyLevels(deps, teller.configurationId, inventoryUpdates, meta);
      actions.push(`${levels.itemsSucceeded} of ${levels.itemsProcessed} levels were taken over.`);
      return { actions, inventoryUpdates: levels.itemsSucceeded };
    },
  };
};

export type ProviderUpdates = ReturnType<typeof createProviderUpdates>;

/** Whether a polled status of the order is new. */
export const isNewStatus = (
  { providerStatus, mappedStatus }: OrderFulfilment,
  said: Pick<StatusUpdate, 'providerStatus' | 'mappedStatus'>,
): boolean => providerStatus !== said.providerStatus || mappedStatus !== said.mappedStatus;
