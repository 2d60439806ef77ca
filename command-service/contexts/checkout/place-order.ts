import type { CommandMeta } from '#command/engine/command-engine.ts';
import { createInstances, drive } from '#command/engine/process-runner.ts';
import type { RunAlone } from '#command/engine/run-alone.ts';
import { stepMeta } from '#command/engine/request-meta.ts';
import type { StockHold } from '#events/checkout.events.ts';
import { Rejection } from '#kernel/rejection.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { formatInvoiceNumber } from '#values/invoice-number.ts';
import type { CreateInvoice } from '../orders/invoice.commands.ts';
import {
  placeOrder,
  type Driver,
  type Placement,
  type PlacementInput,
  type PlacementStep,
  type Refusal,
} from './place-order.process.ts';
import { tooManyOpenInvoices } from './placement.decider.ts';

/** Gives something back. A final one leaves a note even where nothing is held: an earlier driver may still ask. */
type Giver = Driver & { readonly isFinal: boolean };

/** What a placement asks of other streams; each answers a repeat as it answered the first time. */
export interface PlacementPorts {
  /** The turn of its driver; null once the basket's stream has seen the placement's end. */
  turnOf(basketId: string, placementId: string): Promise<number | null>;
  /** Takes over a placement that stands still; answers the turn, or null once it has ended. */
  resume(basketId: string, placementId: string, meta: CommandMeta): Promise<number | null>;
  supersedeInvoice(invoiceId: string, placementId: string, meta: CommandMeta): Promise<void>;
  /** Says what the basket holds there in all. Refused with `out-of-stock`. */
  reserveStock(holder: Driver, hold: StockHold, meta: CommandMeta): Promise<void>;
  releaseStock(holder: Giver, hold: StockHold, meta: CommandMeta): Promise<void>;
  claimDiscount(
    holder: Driver & { readonly customerId: string },
    discountId: string,
    amount: number,
    meta: CommandMeta,
  ): Promise<void>;
  releaseDiscount(holder: Giver, discountId: string, meta: CommandMeta): Promise<void>;
  /** Whether the placement keeps to the limit of unpaid invoices at its address, by the order of the log. */
  isWithinLimit(invoiceId: string): Promise<boolean>;
  takeNumber(invoiceId: string, afterRevision: number, meta: CommandMeta): Promise<number>;
  createInvoice(invoiceId: string, command: CreateInvoice, meta: CommandMeta): Promise<void>;
  voidInvoice(
    invoiceId: string,
    placement: Placement,
    invoiceNumber: string,
    meta: CommandMeta,
  ): Promise<void>;
  invoiceNumberPrefix(): string;
  /** Ends the placement on the basket's stream; answers the position. */
  complete(driver: Driver, placement: Placement, invoiceNumber: string, meta: CommandMeta): Promise<number>;
  fail(driver: Driver, refusal: Refusal, keepsHolds: boolean, meta: CommandMeta): Promise<number>;
}

export type PlacementResult =
  | {
      readonly kind: 'placed';
      readonly invoiceId: string;
      readonly invoiceNumber: string;
      readonly position: number;
    }
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly position: number };

/** One run of a placement. */
interface Run {
  readonly driver: Driver;
  /** Another driver may have left something behind, or still be at it. */
  readonly isResumed: boolean;
  readonly isHeld: () => boolean;
  readonly ports: PlacementPorts;
  readonly placement: Placement;
  readonly meta: CommandMeta;
  readonly end: (result: PlacementResult) => void;
}

/** Somebody else drives the placement now, or has ended it: whoever is told so leaves everything as it is. */
const takenOver = (): Rejection =>
  new Rejection('order-being-placed', 'This order has been taken over meanwhile. Try again in a moment.');

/**
 * The business's no. A conflict that outlived its deadline is none: the placement stays open, and the runner sends its
 * steps again. Nor is it one that another driver has come first.
 */
const isRefusal = (error: unknown): error is Rejection =>
  error instanceof Rejection && error.code !== 'conflict' && error.code !== 'order-being-placed';

/** What the shopper must know of a refusal: which product is out of stock, which discount is used up. */
const refusalOf = ({ code, message, details }: Rejection, step: PlacementStep, run: Run): Refusal => {
  if (step.step === 'claim') return { code, message, details: { ...details, discountId: step.discountId } };
  if (step.step !== 'reserve' || code !== 'out-of-stock') return { code, message, details };
  const line = run.placement.content.orders
    .flatMap((order) => order.lines)
    .find(({ productId }) => productId === step.hold.productId);
  if (!line) return { code, message, details };
  const { basketLineId: lineItemId, sku, productRootName: name } = line;
  const wanted = `${String(details['requestedQuantity'])} wanted, ${String(details['availableQuantity'])} available`;
  const item = { lineItemId, sku, name, reason: 'stock', message: `${name}: ${wanted}.`, ...details };
  return { code, message: item.message, details: { ...details, unavailableItems: [item] } };
};

/** A number has been taken: an invoice that cannot be created is kept as void under it. */
const createOrVoid = async ({ ports, placement, meta }: Run, number: number): Promise<PlacementInput> => {
  const { invoiceId, placementId, content, email, billingAddress, shippingAddress } = placement;
  const invoiceNumber = formatInvoiceNumber(ports.invoiceNumberPrefix(), number);
  const whose = { placementId, email, billingAddress, shippingAddress };
  try {
    await ports.createInvoice(invoiceId, { type: 'CreateInvoice', ...whose, invoiceNumber, content }, meta);
  } catch (error) {
    if (isRefusal(error)) await ports.voidInvoice(invoiceId, placement, invoiceNumber, meta);
    throw error;
  }
  return { type: 'done', invoiceNumber };
};

const act = async (run: Run, step: PlacementStep): Promise<PlacementInput> => {
  const { ports, driver, placement, meta } = run;
  const { placementId, invoiceId, invoiceNumbersRevision, content } = placement;
  const giver = { ...driver, isFinal: run.isResumed };
  switch (step.step) {
    case 'supersede':
      await ports.supersedeInvoice(step.invoiceId, placementId, meta);
      break;
    case 'reserve':
      await ports.reserveStock(driver, step.hold, meta);
      break;
    case 'release':
      await ports.releaseStock(giver, step.hold, meta);
      break;
    case 'claim': {
      const { customerId } = content;
      await ports.claimDiscount({ ...driver, customerId }, step.discountId, step.amount, meta);
      break;
    }
    case 'unclaim':
      await ports.releaseDiscount(giver, step.discountId, meta);
      break;
    case 'number': {
      // Two processes may each have let in the last one: the log says who came first.
      const { openInvoices } = placement;
      if (openInvoices && !(await ports.isWithinLimit(invoiceId)))
        throw tooManyOpenInvoices(openInvoices.limit);
      const number = await ports.takeNumber(invoiceId, invoiceNumbersRevision, meta);
      return { type: 'done', number };
    }
    case 'create':
      return createOrVoid(run, step.number);
    case 'complete': {
      const { invoiceNumber } = step;
      const position = await ports.complete(driver, placement, invoiceNumber, meta);
      run.end({ kind: 'placed', invoiceId, invoiceNumber, position });
      break;
    }
    case 'fail': {
      const { refusal, keepsHolds } = step;
      const position = await ports.fail(driver, refusal, keepsHolds, meta);
      run.end({ kind: 'refused', refusal, position });
      break;
    }
  }
  return { type: 'done' };
};

/** Drives a placement to its end. Errors: `EngineUnavailable` and conflicts, which leave it open. */
const carryOut = async (start: Omit<Run, 'end'>): Promise<PlacementResult> => {
  const results: PlacementResult[] = [];
  const run: Run = { ...start, end: (result) => void results.push(result) };
  const perform = async (step: PlacementStep): Promise<PlacementInput> => {
    if (!run.isHeld()) throw takenOver();
    try {
      return await act(run, step);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return { type: 'refused', refusal: refusalOf(error, step, run) };
    }
  };
  await drive(placeOrder, { type: 'started', placement: run.placement }, perform);
  const [result] = results;
  if (!result) throw new EngineUnavailable(`placement ${run.placement.placementId} did not reach its end`);
  return result;
};

/** Runs placements: the request that starts one drives it, the runner resumes what a crash left open. */
export const createPlacements = (ports: PlacementPorts, runAlone?: RunAlone) => {
  const instances = createInstances<PlacementResult | null>('place-order', runAlone);
  return {
    /**
     * Drives a placement to its end, whatever of it has been done before. Null when another process is at it, or has
     * ended it: to send its steps again could take back what a later placement holds.
     */
    run: (
      basketId: string,
      placement: Placement,
      cause: CommandMeta,
      { isResumed }: Pick<Run, 'isResumed'>,
    ): Promise<PlacementResult | null> => {
      const { placementId, turn: first } = placement;
      const meta = stepMeta(cause);
      return instances.run(placementId, async (isHeld) => {
        const turn = isResumed
          ? await ports.resume(basketId, placementId, meta)
          : await ports.turnOf(basketId, placementId);
        // Taken over before it had begun: the other one ends it.
        if (turn === null || (!isResumed && first !== undefined && turn > first)) return null;
        const driver = { basketId, placementId, turn };
        return carryOut({ ports, driver, isResumed, isHeld, placement, meta });
      });
    },

    /** The run of a placement that is under way in this process. */
    running: (placementId: string): Promise<PlacementResult | null> | undefined => instances.get(placementId),
    drain: instances.drain,
  };
};

export type Placements = ReturnType<typeof createPlacements>;
