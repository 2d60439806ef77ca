import type { Logger } from 'pino';
import type { OwnKeys } from '#agents/own-keys.ts';
import type { Clock } from '#kernel/clock.ts';
import type { PersonalTexts } from '#log/personal-texts.ts';
import { applyPatch } from '#ports/document-rules.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { Sender, SendOutcome } from '#ports/sender.ts';
import type { AgentNotice } from '#topics/agent-notice.ts';
import { isSuccess } from '#topics/delivery-outcome.ts';
import type { Transition } from '#topics/delivery-steps.ts';
import { interrupt } from '#topics/http-attempt.ts';
import type { Claimed } from '../../engine/delivery-queues.ts';
import { keptOutcome } from '../../engine/kept-outcome.ts';
import { createBeat, createRecorder, stepsOf } from '../../engine/record-outcome.ts';
import { beginUnclaimed, type UnclaimedAttempt } from '../../engine/unclaimed-attempt.ts';
import type { AskSending } from './ask-sending.ts';
import { noticeHeaders, type NoticeHeaders } from './notice-headers.ts';
import { claimNotice, getNotice, noticeTable, takeNoticeStep } from './notice-rows.ts';
import { abandonNotice, nextStep } from './notice-steps.ts';

export interface NoticeAttemptDeps {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  readonly personalTexts: Pick<PersonalTexts, 'open' | 'sealLike'>;
  readonly sender: Pick<Sender, 'send'>;
  /** Asked at each attempt, so that a removed key signs nothing more. */
  readonly ownKeys: Pick<OwnKeys, 'signer'>;
  readonly shopUrl: () => string;
  readonly askSending: AskSending;
  readonly timeoutMs: number;
  /** No other process can take a notice: first attempts are recorded with their outcome. */
  readonly isOnlyWriter: boolean;
  /** Whether no earlier notice of its order is open. Errors: `EngineUnavailable`. */
  readonly isTurnOf: (notice: AgentNotice) => Promise<boolean>;
  /** Told of each notice after an attempt. */
  readonly onAttempted: (notice: AgentNotice) => void;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
}

export interface NoticeAttempts {
  /** Takes a notice that is due and whose turn it is; null when there is nothing to do. Errors: `EngineUnavailable`. */
  claim(id: string): Promise<Claimed | null>;
  /** Whether a notice of this order or session is under way here. */
  isTelling(entityId: string): boolean;
  /** Gives up what is still under way, so that the next process begins with it. */
  release(): Promise<void>;
}

type Begun = UnclaimedAttempt<AgentNotice>;

const FORGOTTEN = 'The person it is about has been forgotten';
const NO_ADDRESS = 'The profile of the agent names no http address';
/** With more than this under way, outcomes are recorded together. */
const FEW = 4;

/** A notice that has arrived, was given up or is under way has no due time. */
const isDue = (notice: AgentNotice | null): notice is AgentNotice => (notice?.dueAt ?? null) !== null;

/** Profiles may name anything. */
const isAddress = (url: string): boolean => ['https:', 'http:'].includes(URL.parse(url)?.protocol ?? '');

const attemptedFacts = (
  { _id: id, agent, eventType, attemptNumber }: AgentNotice,
  { statusCode, durationMs: milliseconds, error }: SendOutcome,
) => ({ id, agent, eventType, attemptNumber, statusCode, milliseconds, error });

/** Where no other process sends any, first attempts need no claim; a retry has one, so that staff leave it alone. */
const begun = async (
  { stateStore, clock, isOnlyWriter }: NoticeAttemptDeps,
  notice: AgentNotice,
): Promise<Begun | null> => {
  if (isOnlyWriter && notice.status === 'Pending') return beginUnclaimed(notice, clock.now());
  const row = await claimNotice(stateStore, notice._id, clock.now());
  return row && { row, recorded: (step) => step };
};

/** One attempt: the stored bytes, to the notice's address, signed with the active key. */
export const createNoticeAttempts = (deps: NoticeAttemptDeps): NoticeAttempts => {
  const { stateStore, clock, personalTexts, sender, ownKeys, log } = deps;
  const underWay = new Map<string, AgentNotice>();
  const stopping = new AbortController();
  const beat = createBeat();
  const record = createRecorder({ ...stepsOf(noticeTable, stateStore), log, stopping: stopping.signal });

  const keep = async ({ row, recorded }: Begun, step: Transition): Promise<void> => {
    if (underWay.size > FEW) await beat();
    if (await record(recorded(step))) deps.onAttempted(applyPatch(row, step.patch));
  };

  const headersOf = (notice: AgentNotice, body: Buffer): NoticeHeaders =>
    noticeHeaders(notice, body, { shopUrl: deps.shopUrl(), signer: ownKeys.signer(), at: clock.now() });

  const sendOne = async (attempt: Begun): Promise<'succeeded' | 'failed'> => {
    const { row: notice } = attempt;
    const giveUp = async (reason: string): Promise<'failed'> => {
      await keep(attempt, abandonNotice(notice, reason, clock.now()));
      return 'failed';
    };
    const { targetUrl } = notice;
    if (!isAddress(targetUrl)) return giveUp(NO_ADDRESS);
    const text = await personalTexts.open(notice.requestBody);
    if (text === null) return giveUp(FORGOTTEN);
    const withheld = deps.askSending(notice, text);
    if (withheld !== undefined) return giveUp(withheld);
    const body = Buffer.from(text);
    const headers = headersOf(notice, body);
    const outcome = await sender.send({ targetUrl, headers, body, timeoutMs: deps.timeoutMs });
    const kept = await keptOutcome(personalTexts, notice.requestBody, outcome);
    await keep(attempt, nextStep(notice, kept, headers, clock.now()));
    log.debug(attemptedFacts(notice, outcome), 'notice attempted');
    return isSuccess(outcome) ? 'succeeded' : 'failed';
  };

  const send = async (attempt: Begun): Promise<'succeeded' | 'failed'> => {
    const { row } = attempt;
    underWay.set(row._id, row);
    try {
      return await sendOne(attempt);
    } finally {
      underWay.delete(row._id);
    }
  };

  return {
    claim: async (id) => {
      const notice = await getNotice(stateStore, id);
      if (!isDue(notice) || !(await deps.isTurnOf(notice))) return null;
      // Throws without a key, before the attempt counts.
      ownKeys.signer();
      const attempt = await begun(deps, notice);
      return attempt && { send: () => send(attempt) };
    },
    isTelling: (entityId) => underWay.values().some((one) => one.entityId === entityId),
    release: async () => {
      stopping.abort();
      await Promise.all(
        [...underWay.values()].map((one) => takeNoticeStep(stateStore, interrupt(one, clock.now()))),
      );
    },
  };
};
