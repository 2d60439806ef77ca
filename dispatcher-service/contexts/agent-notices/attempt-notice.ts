import type { Logger } from 'pino';
import type { OwnKeys } from '#agents/own-keys.ts';
import type { Clock } from '#kernel/clock.ts';
import type { PersonalTexts } from '#log/personal-texts.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { Sender, SendOutcome } from '#ports/sender.ts';
import type { AgentNotice } from '#topics/agent-notice.ts';
import { isSuccess, keptOf } from '#topics/delivery-outcome.ts';
import type { Transition } from '#topics/delivery-steps.ts';
import type { Claimed } from '../../engine/delivery-queues.ts';
import { createBeat, createRecorder } from '../../engine/record-outcome.ts';
import type { AskSending } from './ask-sending.ts';
import { noticeHeaders, type NoticeHeaders } from './notice-headers.ts';
import { claimNotice, getNotice, takeNoticeStep } from './notice-rows.ts';
import { abandonNotice, interruptNotice, nextStep } from './notice-steps.ts';

export interface NoticeAttemptDeps {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  readonly personalTexts: Pick<PersonalTexts, 'open' | 'sealLike'>;
  readonly sender: Pick<Sender, 'send'>;
  /** Asked at each attempt: a key that is removed signs nothing more. */
  readonly ownKeys: Pick<OwnKeys, 'signer'>;
  readonly shopUrl: () => string;
  readonly askSending: AskSending;
  readonly timeoutMs: number;
  /** Whether no earlier notice of its order is open. Errors: `EngineUnavailable`. */
  readonly isTurnOf: (notice: AgentNotice) => Promise<boolean>;
  /** Told of each notice after an attempt. */
  readonly onAttempted: (notice: AgentNotice) => void;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
}

export interface NoticeAttempts {
  /** Takes a notice that is due, in its order's turn; null when there is nothing to do. Errors: `EngineUnavailable`. */
  claim(id: string): Promise<Claimed | null>;
  /** Gives up what is still under way, so that the next process begins with it. */
  release(): Promise<void>;
}

const FORGOTTEN = 'The person it is about has been forgotten';
/** With more than this under way, outcomes are recorded together. */
const FEW = 4;

/** What has arrived, was given up or is under way has no time. */
const isDue = (notice: AgentNotice | null): notice is AgentNotice => (notice?.dueAt ?? null) !== null;

/** The row when an earlier try has taken this very step, and only its answer was lost. */
const alreadyTaken = async (
  stateStore: DocumentStore,
  { when, patch }: Transition,
): Promise<AgentNotice | null> => {
  const row = await getNotice(stateStore, String(when['_id']));
  const isOurs = row?.attemptNumber === when['attemptNumber'] && row?.status === patch.set?.['status'];
  return isOurs ? row : null;
};

const attemptedFacts = (
  { _id: id, agent, eventType, attemptNumber }: AgentNotice,
  { statusCode, durationMs: milliseconds, error }: SendOutcome,
) => ({ id, agent, eventType, attemptNumber, statusCode, milliseconds, error });

/** A receiver may repeat what it was sent. */
const asKept = async (
  { personalTexts }: NoticeAttemptDeps,
  { requestBody }: AgentNotice,
  outcome: SendOutcome,
): Promise<SendOutcome> => {
  const { body } = outcome;
  return { ...outcome, body: body && (await personalTexts.sealLike(requestBody, keptOf(body))) };
};

/** One attempt: to the address that the notice names, with the bytes that it keeps, signed by the key of now. */
export const createNoticeAttempts = (deps: NoticeAttemptDeps): NoticeAttempts => {
  const { stateStore, clock, personalTexts, sender, ownKeys, log } = deps;
  const underWay = new Map<string, AgentNotice>();
  const stopping = new AbortController();
  const beat = createBeat();
  const record = createRecorder({
    take: (transition) => takeNoticeStep(stateStore, transition),
    taken: (transition) => alreadyTaken(stateStore, transition),
    log,
    stopping: stopping.signal,
  });

  const recorded = async (step: Transition): Promise<void> => {
    if (underWay.size > FEW) await beat();
    const notice = await record(step);
    if (notice) deps.onAttempted(notice);
  };

  const giveUp = async (notice: AgentNotice, reason: string): Promise<'failed'> => {
    await recorded(abandonNotice(notice, reason, clock.now()));
    return 'failed';
  };

  const headersOf = (notice: AgentNotice, body: Buffer): NoticeHeaders =>
    noticeHeaders(notice, body, { shopUrl: deps.shopUrl(), signer: ownKeys.signer(), at: clock.now() });

  const sendOne = async (notice: AgentNotice): Promise<'succeeded' | 'failed'> => {
    const { targetUrl } = notice;
    const text = await personalTexts.open(notice.requestBody);
    if (text === null) return giveUp(notice, FORGOTTEN);
    const withheld = deps.askSending(notice, text);
    if (withheld !== undefined) return giveUp(notice, withheld);
    const body = Buffer.from(text);
    const headers = headersOf(notice, body);
    const outcome = await sender.send({ targetUrl, headers, body, timeoutMs: deps.timeoutMs });
    const kept = await asKept(deps, notice, outcome);
    await recorded(nextStep(notice, kept, headers, clock.now()));
    log.debug(attemptedFacts(notice, outcome), 'notice attempted');
    return isSuccess(outcome) ? 'succeeded' : 'failed';
  };

  const send = async (notice: AgentNotice): Promise<'succeeded' | 'failed'> => {
    underWay.set(notice._id, notice);
    try {
      return await sendOne(notice);
    } finally {
      underWay.delete(notice._id);
    }
  };

  return {
    claim: async (id) => {
      const notice = await getNotice(stateStore, id);
      if (!isDue(notice) || !(await deps.isTurnOf(notice))) return null;
      // Without a key nothing is begun.
      ownKeys.signer();
      const claimed = await claimNotice(stateStore, id, clock.now());
      return claimed && { send: () => send(claimed) };
    },
    release: async () => {
      stopping.abort();
      await Promise.all(
        [...underWay.values()].map((one) => takeNoticeStep(stateStore, interruptNotice(one, clock.now()))),
      );
    },
  };
};
