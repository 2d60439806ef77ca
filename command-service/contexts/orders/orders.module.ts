import type { CommandModule, ModuleDeps } from '#command/engine/module.ts';
import type { Job } from '#runtime/job-runner.ts';
import { businessDay } from '#values/business-day.ts';
import type { OrdersApi } from '../invoices/invoice.commands.ts';
import type { OrderAdditionsApi } from '../invoices/post-purchase/post-purchase.commands.ts';
import type { OrderShipmentsApi } from '../invoices/fulfilment/shipment.commands.ts';
import { createAdditions } from './editing/added-afterwards.ts';
import { createCancellation, type Cancellation } from './cancellation.actions.ts';
import { cancellationRoutes } from './cancellation.routes.ts';
import { clearInvoice } from './unpaid/clear-invoice.process.ts';
import { createManualOrder } from './manual/create-manual-order.process.ts';
import { createDueInvoices, type DueInvoices } from './reminders/due-invoices.ts';
import { invoiceReminders } from './reminders/invoice-reminders.job.ts';
import { createReminders } from './reminders/reminders.ts';
import { createInvoiceFinder } from './find-invoice.ts';
import { createStockMoves } from './unpaid/follow-stock.ts';
import { followStock } from './unpaid/follow-stock.process.ts';
import { orderHooks } from './order.hooks.ts';
import { expireInvoice } from './unpaid/expire-invoice.process.ts';
import { createEditDriver } from './editing/edit-driver.ts';
import { createEditing } from './editing/editing.actions.ts';
import { editingRoutes } from './editing/editing.routes.ts';
import { editInvoiceProcess } from './editing/edit-invoice.process.ts';
import { createExpiry, type Expiry } from './unpaid/expiry.actions.ts';
import { createInvoiceNumbers } from './numbers/invoice-numbers.actions.ts';
import { createManualOrders } from './manual/manual-orders.actions.ts';
import { manualOrderRoutes } from './manual/manual-orders.routes.ts';
import { createOrderDesk } from './order-desk.actions.ts';
import { orderDeskHooks } from './order-desk.hooks.ts';
import { orderDeskRoutes } from './order-desk.routes.ts';
import { shipmentHooks } from './shipments/shipment.hooks.ts';
import { createShipments, type Shipments } from './shipments/shipments.actions.ts';
import { shipmentRoutes } from './shipments/shipments.routes.ts';
import { releaseReservations } from './unpaid/release-reservations.job.ts';
import { createUnpaidInvoices, type UnpaidInvoices } from './unpaid/unpaid-invoices.ts';

const expireUnpaid = ({ settings, log }: ModuleDeps, unpaid: UnpaidInvoices, expiry: Expiry): Job =>
  releaseReservations({
    takeExpired: (now, max) => unpaid.takeExpired(now, settings(), max),
    putBack: unpaid.putBack,
    expire: (invoiceId) =>
      expiry.expire(invoiceId, {
        correlationId: invoiceId,
        causationId: 'release-reservations',
        actor: { kind: 'system', id: 'release-reservations' },
      }),
    log,
  });

const offersOf = (
  deps: ModuleDeps,
  unpaid: UnpaidInvoices,
  expiry: Expiry,
  shipments: Shipments,
  cancellation: Cancellation,
): OrdersApi & OrderAdditionsApi & OrderShipmentsApi => {
  const numbers = createInvoiceNumbers(deps);
  return {
    ...shipments,
    ...createAdditions(deps),
    lastNumberRevision: numbers.lastRevision,
    takeNumber: numbers.take,
    expireIfDue: expiry.expireIfDue,
    giveUp: expiry.giveUp,
    clearClosed: cancellation.resume,
    expectInvoice: unpaid.expect,
    countOpenInvoices: unpaid.countBefore,
    heldAtAddress: unpaid.heldBefore,
    countUnpaidOf: unpaid.countOf,
    isWithinLimit: async (invoiceId, begunBy) => {
      // The only writer of the log counted exactly when it decided: there is nothing to wait for.
      if (deps.store.isOnlyWriter) return true;
      if (unpaid.isWithinLimit(invoiceId) === null) await deps.reach(begunBy);
      return unpaid.isWithinLimit(invoiceId) ?? true;
    },
  };
};

const remind = (deps: ModuleDeps, due: DueInvoices): Job => {
  const { checkIntervalHours: everyHours, ...limits } = deps.config.invoiceReminders;
  return invoiceReminders({
    takeDue: (now, max) => {
      const { reportingTimeZone: timeZone } = deps.settings();
      return due.takeDue(businessDay(now, timeZone), { ...limits, timeZone }, max);
    },
    putBack: due.putBack,
    remind: createReminders({ ...deps, limits }),
    everyHours,
    log: deps.log,
  });
};

export const orders: CommandModule<readonly [UnpaidInvoices, DueInvoices]> = {
  name: 'orders',
  beforeHooks: [orderHooks, orderDeskHooks, shipmentHooks],
  processes: [expireInvoice, clearInvoice, createManualOrder, followStock, editInvoiceProcess],
  follows: () => [createUnpaidInvoices(), createDueInvoices()],
  create: async (deps, [unpaid, due]) => {
    const expiry = createExpiry(deps);
    const edits = createEditDriver(deps);
    const stockMoves = createStockMoves({ ...deps, edits });
    const cancellation = createCancellation({ ...deps, stockMoves, edits });
    const finder = await createInvoiceFinder(deps);
    const shipments = createShipments({ ...deps, find: finder.find, stockMoves, cancellation });
    const manualOrders = createManualOrders(deps);
    const currency = (): string => deps.settings().storeCurrencyCode;
    const editing = createEditing({ ...deps, stockMoves, edits });
    return {
      routes: [
        ...manualOrderRoutes(manualOrders, deps.reference, currency),
        ...orderDeskRoutes(createOrderDesk(deps)),
        ...cancellationRoutes(cancellation),
        ...shipmentRoutes(shipments),
        ...editingRoutes(editing),
      ],
      jobs: [expireUnpaid(deps, unpaid, expiry), remind(deps, due), finder.job],
      drivers: {
        [expireInvoice.name]: expiry,
        [clearInvoice.name]: cancellation,
        [createManualOrder.name]: manualOrders,
        [followStock.name]: stockMoves,
        [editInvoiceProcess.name]: edits,
      },
      actions: {
        orders: {
          ...offersOf(deps, unpaid, expiry, shipments, cancellation),
          createManual: manualOrders.create,
          cancel: cancellation.cancel,
          edit: editing.edit,
        },
      },
      measure: (metrics) => {
        const help = 'Unpaid invoices';
        metrics.gauge('tillroll_unpaid_invoices', help, () => unpaid.count());
        metrics.gauge('tillroll_due_invoices', 'Invoices that are owed and have a due date', () =>
          due.count(),
        );
      },
    };
  },
};
