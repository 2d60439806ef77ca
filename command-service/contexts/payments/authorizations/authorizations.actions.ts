import { actorName } from '#kernel/event.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { PROVIDER_TIMEOUT_MILLISECONDS } from '#command/engine/provider-timeout.ts';
import { createInstances } from '#command/engine/run-process.ts';
import type { RunAlone } from '#command/engine/run-alone.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import { newId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import { pause } from '#runtime/back-off.ts';
import { isKnown, type InvoiceState, type KnownInvoice } from '../../invoices/invoice.state.ts';
import type { StartCapture, StartVoid } from '../../invoices/payments/authorization.commands.ts';
import type { Authorization } from '../../invoices/payments/authorizations.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import type { Settlement } from '../settle-payment.ts';
import { askForAuthorized, standingOf } from './ask-for-authorized.ts';
import {
  outcomeCommand,
  settleAuthorization,
  type OpenAuthorization,
} from './settle-authorization.process.ts';

interface DriverDeps extends Pick<CommandDeps, 'streams'> {
  /** Also one that is not offered any more: it still holds what it has set aside. */
  readonly provider: (alias: string) => PaymentProvider | undefined;
  readonly providerTimeoutMilliseconds?: number;
  readonly runAlone?: RunAlone;
}

/** What came of an ask, on an invoice as it is. */
export interface AskedAuthorization {
  readonly invoice: KnownInvoice;
  readonly authorization: Authorization;
  readonly position: number;
}

const LOOK_EVERY_MILLISECONDS = 50;

const find = (state: InvoiceState, paymentId: string): Authorization | undefined =>
  isKnown(state) ? state.authorizations.find((one) => one.paymentId === paymentId) : undefined;

/** Drives asks to what the provider says, or to where they wait for an answer. */
export const createAuthorizationDriver = ({ streams, provider, runAlone, ...options }: DriverDeps) => {
  const patience = options.providerTimeoutMilliseconds ?? PROVIDER_TIMEOUT_MILLISECONDS;
  const instances = createInstances({
    process: settleAuthorization,
    calls: { askFor: askForAuthorized(provider, patience) },
    streams,
    ...(runAlone && { runAlone }),
  });

  const load = async (invoiceId: string): Promise<InvoiceState> =>
    (await streams.load(invoiceStream, invoiceId)).state;

  const open = async (invoiceId: string, paymentId: string): Promise<OpenAuthorization | null> => {
    const state = await load(invoiceId);
    const authorization = find(state, paymentId);
    if (!isKnown(state) || authorization?.status !== 'held' || authorization.ask === null) return null;
    return { invoiceId, currency: state.content.currency, authorization, ask: authorization.ask };
  };

  /** The position that it reached. */
  const drive = async (invoiceId: string, paymentId: string, meta: CommandMeta): Promise<number> => {
    const deadline = performance.now() + patience;
    for (;;) {
      const run = await instances.run(paymentId, meta, () => open(invoiceId, paymentId));
      if (run) return run.position;
      if (!find(await load(invoiceId), paymentId)?.ask || performance.now() >= deadline) return 0;
      // Another process is at it, and waits for the provider as long as this one would.
      await pause(LOOK_EVERY_MILLISECONDS);
    }
  };

  return {
    load,
    drive,
    /** Asks again for everything of the invoice whose answer is missing. */
    resume: async (invoiceId: string, meta: CommandMeta): Promise<void> => {
      const state = await load(invoiceId);
      if (!isKnown(state)) return;
      for (const { paymentId, ask } of state.authorizations)
        if (ask !== null) await drive(invoiceId, paymentId, meta);
    },
    /** Records what the provider has done of its own accord, in case that its callback is lost. */
    lookUp: async (invoiceId: string, paymentId: string, meta: CommandMeta): Promise<void> => {
      const authorization = find(await load(invoiceId), paymentId);
      const asked = authorization?.status === 'held' ? provider(authorization.provider) : undefined;
      if (!authorization || !asked) return;
      const stands = await standingOf(asked, authorization, patience);
      if (stands === null || stands.kind === 'held') return;
      const command = outcomeCommand(paymentId, stands);
      await streams.send(invoiceStream, invoiceId, command, meta, { isProcessStep: true });
    },
    drain: () => instances.drain(),
  };
};

export type AuthorizationDriver = ReturnType<typeof createAuthorizationDriver>;

interface AuthorizationDeps extends Pick<CommandDeps, 'streams'> {
  readonly driver: AuthorizationDriver;
  readonly settlement: Pick<Settlement, 'settle'>;
}

const askIdOf = (event: InvoiceEvent | undefined): string | null => {
  if (event?.type === 'CaptureAttempted') return event.data.captureId;
  return event?.type === 'VoidAttempted' ? event.data.voidId : null;
};

/** Takes money that is set aside, or lets it go (docs/rules/authorizations.md). */
export const createAuthorizations = ({ streams, driver, settlement }: AuthorizationDeps) => {
  const { load } = driver;

  /** Errors: those of `invoiceDecider`; `capture-declined` after the provider's no. */
  const ask = async (
    invoiceId: string,
    command: StartCapture | StartVoid,
    meta: CommandMeta,
  ): Promise<AskedAuthorization> => {
    const { paymentId } = command;
    const recorded = await streams.send(invoiceStream, invoiceId, command, meta);
    const [event] = recorded.events;
    // A repeat is handed what the first run appended.
    const askId = askIdOf(event);
    const answered = await driver.drive(invoiceId, paymentId, meta);
    // What is captured makes the sale, and changes what is owed.
    const position = Math.max(recorded.position, answered, await settlement.settle(invoiceId, meta));
    const invoice = await load(invoiceId);
    const authorization = find(invoice, paymentId);
    if (!isKnown(invoice) || !authorization)
      throw new Error(`authorisation ${paymentId} of ${invoiceId} is not in the log`);
    const { status, lastNo, ask: asked } = authorization;
    if (status === 'held' && asked === null && lastNo !== null && lastNo.askId === askId)
      throw new Rejection('capture-declined', lastNo.message);
    return { invoice, authorization, position };
  };

  return {
    load,
    capture: (invoiceId: string, paymentId: string, amount: number | null, meta: CommandMeta) =>
      ask(
        invoiceId,
        { type: 'StartCapture', captureId: newId(), paymentId, amount, by: actorName(meta.actor) },
        meta,
      ),
    letGo: (invoiceId: string, paymentId: string, meta: CommandMeta) =>
      ask(invoiceId, { type: 'StartVoid', voidId: newId(), paymentId, by: actorName(meta.actor) }, meta),
    resume: async (invoiceId: string, meta: CommandMeta): Promise<void> => {
      await driver.resume(invoiceId, meta);
      await settlement.settle(invoiceId, meta);
    },
    lookUp: async (invoiceId: string, paymentId: string, meta: CommandMeta): Promise<void> => {
      await driver.lookUp(invoiceId, paymentId, meta);
      await settlement.settle(invoiceId, meta);
    },
    drain: driver.drain,
  };
};

export type Authorizations = ReturnType<typeof createAuthorizations>;
