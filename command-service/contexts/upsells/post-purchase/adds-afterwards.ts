import { PROVIDER_TIMEOUT_MILLISECONDS } from '#command/engine/provider-timeout.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { ModuleDeps } from '#command/engine/module.ts';
import { createInstances, type Performs } from '#command/engine/run-process.ts';
import { Rejection } from '#kernel/rejection.ts';
import { pause } from '#runtime/back-off.ts';
import { paymentOf } from '../../invoices/post-purchase/added-afterwards.state.ts';
import { isKnown, type InvoiceState } from '../../invoices/invoice.state.ts';
import { isBeingAddedTo } from '../../invoices/post-purchase/post-purchase.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import { addAfterwards, type AddingCalls, type OpenAfterwards } from './add-afterwards.process.ts';

type AddingDeps = Pick<ModuleDeps, 'streams' | 'apis' | 'runAlone' | 'clock' | 'log'>;

const LOOK_EVERY_MILLISECONDS = 50;
/** How often recording payment and edit is tried before the charge is undone. */
const RECORDING_TRIES = 3;
/** How long a pending charge is waited for. */
const GIVEN_UP_AFTER = 24 * 3_600_000;

const callsOf = ({ streams, apis, log }: AddingDeps): Performs<AddingCalls> => ({
  charge: async ({ invoiceId, add: { begun } }) => {
    const { addId: key, provider, method, saved, amount, currency } = begun;
    // An erased customer has no method left to charge.
    if (saved === null)
      return { kind: 'refused', code: 'unknown_method', message: 'This payment method is no longer saved.' };
    return apis.payments.chargeSaved({ key, invoiceId, provider, method, saved, amount, currency });
  },

  record: async ({ invoiceId, ...add }, meta) => {
    const command = { type: 'RecordPostPurchaseAdd', ...add } as const;
    for (let tries = 1; ; tries++) {
      try {
        await streams.send(invoiceStream, invoiceId, command, meta, { isProcessStep: true });
        return null;
      } catch (err) {
        if (err instanceof Rejection && err.code !== 'conflict') return refusalOf(err.message);
        log.warn({ invoiceId, err, tries }, 'what was charged after a purchase could not be recorded');
        if (tries === RECORDING_TRIES) return refusalOf('It could not be recorded.');
      }
    }
  },

  undo: ({ transactionId, isTaken, open: { add } }) => {
    const { paymentId, provider, amount } = paymentOf(add, transactionId);
    const { currency } = add.begun;
    return apis.payments.undoCharge({ paymentId, provider, transactionId, isTaken, amount, currency });
  },

  giveBack: (invoiceId, meta) => apis.payments.noteOutstanding(invoiceId, meta),

  sale: async (invoiceId) => {
    const { state } = await streams.recall(invoiceStream, invoiceId);
    return isKnown(state)
      ? { edits: state.edits, total: state.content.amountsInStoreCurrency.total }
      : { edits: 0, total: 0 };
  },
});

const refusalOf = (reason: string) => ({
  code: 'not-recorded',
  message: `Nothing was added: ${reason} What was charged is given back.`,
});

/** Drives adds after purchases (docs/rules/post-purchase.md#steps), one driver at a time for each invoice. */
export const createAddsAfterwards = (deps: AddingDeps) => {
  const { streams, runAlone, clock } = deps;
  const instances = createInstances({ process: addAfterwards, calls: callsOf(deps), streams, runAlone });
  const load = async (invoiceId: string): Promise<InvoiceState> =>
    (await streams.load(invoiceStream, invoiceId)).state;

  /** `begunHere`: the add that this driver has just begun. */
  const open = async (invoiceId: string, begunHere: string | null): Promise<OpenAfterwards | null> => {
    const { state: invoice } =
      begunHere === null
        ? await streams.load(invoiceStream, invoiceId)
        : await streams.recall(invoiceStream, invoiceId);
    const add = isKnown(invoice) ? invoice.postPurchase?.add : null;
    if (!isKnown(invoice) || !add) return null;
    const isFirstAsk = add.isFirstAsk && add.begun.addId === begunHere;
    const isGivenUp = clock.now() - Date.parse(add.begun.begunAt) > GIVEN_UP_AFTER;
    return { invoiceId, invoice, add, isFirstAsk, isGivenUp };
  };

  return {
    load,
    /** Drives an add until its outcome is known. Errors: the refusal to reserve. */
    drive: async (
      invoiceId: string,
      addId: string,
      isBegunHere: boolean,
      meta: CommandMeta,
    ): Promise<number> => {
      const deadline = performance.now() + PROVIDER_TIMEOUT_MILLISECONDS;
      let mine: string | null = isBegunHere ? addId : null;
      for (;;) {
        const run = await instances.run(invoiceId, meta, () => {
          const begunHere = mine;
          mine = null;
          return open(invoiceId, begunHere);
        });
        if (run?.start.add.begun.addId === addId) {
          if (run.refusal) throw new Rejection(run.refusal.code, run.refusal.message, run.refusal.details);
          return run.position;
        }
        const state = await load(invoiceId);
        if (!isKnown(state) || !isBeingAddedTo(state) || performance.now() >= deadline) return 0;
        // Another process drives it, and waits for the provider as long as this one would.
        await pause(LOOK_EVERY_MILLISECONDS);
      }
    },
    resume: async (invoiceId: string, meta: CommandMeta): Promise<void> => {
      await instances.run(invoiceId, meta, () => open(invoiceId, null));
    },
    drain: () => instances.drain(),
  };
};

export type AddsAfterwards = ReturnType<typeof createAddsAfterwards>;
