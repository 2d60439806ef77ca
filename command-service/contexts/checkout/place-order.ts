import type { CommandMeta } from '#command/engine/command-engine.ts';
import { createInstances, drive } from '#command/engine/process-runner.ts';
import { stepMeta } from '#command/engine/request-meta.ts';
import type { StockHold } from '#events/checkout.events.ts';
import { Rejection } from '#kernel/rejection.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { formatInvoiceNumber } from '#values/invoice-number.ts';
import type { CreateInvoice } from '../orders/invoice.commands.ts';
import {
  placeOrder,
  type Placement,
  type PlacementInput,
  type PlacementStep,
  type Refusal,
} from './place-order.process.ts';

/** Whose the steps are: the basket in whose name stock and uses are held, and the placement that asks. */
interface Holder {
  readonly basketId: string;
  readonly placementId: string;
}

/** What a placement asks of other streams; each answers a repeat as it answered the first time. */
export interface PlacementPorts {
  supersedeInvoice(invoiceId: string, placementId: string, meta: CommandMeta): Promise<void>;
  /** Says what the basket holds there in all. Refused with `out-of-stock`. */
  reserveStock(holder: Holder, hold: StockHold, meta: CommandMeta): Promise<void>;
  releaseStock(holder: Holder, hold: StockHold, meta: CommandMeta): Promise<void>;
  claimDiscount(
    holder: Holder & { readonly customerId: string },
    discountId: string,
    amount: number,
    meta: CommandMeta,
  ): Promise<void>;
  releaseDiscount(holder: Holder, discountId: string, meta: CommandMeta): Promise<void>;
  takeNumber(invoiceId: string, afterRevision: number, isRepeat: boolean, meta: CommandMeta): Promise<number>;
  createInvoice(invoiceId: string, command: CreateInvoice, meta: CommandMeta): Promise<void>;
  voidInvoice(
    invoiceId: string,
    placement: Placement,
    invoiceNumber: string,
    meta: CommandMeta,
  ): Promise<void>;
  invoiceNumberPrefix(): string;
  /** Ends the placement on the basket's stream; answers the position. */
  complete(basketId: string, placement: Placement, invoiceNumber: string, meta: CommandMeta): Promise<number>;
  fail(
    basketId: string,
    placement: Placement,
    refusal: Refusal,
    keepsHolds: boolean,
    meta: CommandMeta,
  ): Promise<number>;
}

export type PlacementResult =
  | {
      readonly kind: 'placed';
      readonly invoiceId: string;
      readonly invoiceNumber: string;
      readonly position: number;
    }
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly position: number };

const refusalOf = ({ code, message, details }: Rejection): Refusal => ({ code, message, details });

/** Runs placements: the request that starts one drives it, the runner resumes what a crash left open. */
export const createPlacements = (ports: PlacementPorts) => {
  const instances = createInstances<PlacementResult>();

  /** A number has been taken: an invoice that cannot be created is kept as void under it. */
  const createOrVoid = async (
    placement: Placement,
    number: number,
    meta: CommandMeta,
  ): Promise<PlacementInput> => {
    const { invoiceId, placementId, content, email, billingAddress, shippingAddress } = placement;
    const invoiceNumber = formatInvoiceNumber(ports.invoiceNumberPrefix(), number);
    try {
      await ports.createInvoice(
        invoiceId,
        {
          type: 'CreateInvoice',
          placementId,
          invoiceNumber,
          content,
          email,
          billingAddress,
          shippingAddress,
        },
        meta,
      );
      return { type: 'done', invoiceNumber };
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      await ports.voidInvoice(invoiceId, placement, invoiceNumber, meta);
      return { type: 'refused', refusal: refusalOf(error) };
    }
  };

  const act = async (
    step: PlacementStep,
    basketId: string,
    placement: Placement,
    isRepeat: boolean,
    meta: CommandMeta,
    end: (result: PlacementResult) => void,
  ): Promise<PlacementInput> => {
    const { placementId, invoiceId } = placement;
    const holder = { basketId, placementId };
    switch (step.step) {
      case 'supersede':
        await ports.supersedeInvoice(step.invoiceId, placementId, meta);
        break;
      case 'reserve':
        await ports.reserveStock(holder, step.hold, meta);
        break;
      case 'release':
        await ports.releaseStock(holder, step.hold, meta);
        break;
      case 'claim':
        await ports.claimDiscount(
          { ...holder, customerId: placement.content.customerId },
          step.discountId,
          step.amount,
          meta,
        );
        break;
      case 'unclaim':
        await ports.releaseDiscount(holder, step.discountId, meta);
        break;
      case 'number':
        return {
          type: 'done',
          number: await ports.takeNumber(invoiceId, placement.invoiceNumbersRevision, isRepeat, meta),
        };
      case 'create':
        return createOrVoid(placement, step.number, meta);
      case 'complete': {
        const { invoiceNumber } = step;
        const position = await ports.complete(basketId, placement, invoiceNumber, meta);
        end({ kind: 'placed', invoiceId, invoiceNumber, position });
        break;
      }
      case 'fail': {
        const { refusal, keepsHolds } = step;
        const position = await ports.fail(basketId, placement, refusal, keepsHolds, meta);
        end({ kind: 'refused', refusal, position });
        break;
      }
    }
    return { type: 'done' };
  };

  return {
    /** Drives a placement to its end. `isRepeat`: an earlier run may have done some of its steps. */
    run: (
      basketId: string,
      placement: Placement,
      cause: CommandMeta,
      isRepeat: boolean,
    ): Promise<PlacementResult> =>
      instances.run(placement.placementId, async () => {
        const meta = stepMeta(cause);
        let result: PlacementResult | null = null;
        const perform = async (step: PlacementStep): Promise<PlacementInput> => {
          try {
            return await act(step, basketId, placement, isRepeat, meta, (ended) => (result = ended));
          } catch (error) {
            if (error instanceof Rejection) return { type: 'refused', refusal: refusalOf(error) };
            throw error;
          }
        };
        await drive(placeOrder, { type: 'started', placement }, perform);
        if (!result) throw new EngineUnavailable(`placement ${placement.placementId} did not reach its end`);
        return result as PlacementResult;
      }),

    /** The run of a placement that is under way in this process. */
    running: (placementId: string): Promise<PlacementResult> | undefined => instances.get(placementId),
    drain: instances.drain,
  };
};

export type Placements = ReturnType<typeof createPlacements>;
