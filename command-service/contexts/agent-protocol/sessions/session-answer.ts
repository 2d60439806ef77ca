import type { AgentRequest, DialectName } from '#agents/agent-request.ts';
import { capability } from '#agents/capabilities.ts';
import type { ProtocolAnswer, ProtocolRequest } from '#agents/commerce-protocol.ts';
import { dialectFor, dialectOfVersion, versionOf } from '#agents/dialect-choice.ts';
import type { Json } from '#agents/dialects.ts';
import { sessionForms } from '#agents/forms/session-forms.ts';
import type { ProtocolMessage } from '#agents/protocol-parts.ts';
import type { ProtocolSession } from '#agents/protocol-session.ts';
import type { ModuleDeps } from '#command/engine/module.ts';
import { authorize } from '../mandates/merchant-authorization.ts';
import type { SeenSession } from './seen-session.ts';
import type { AgentSession } from './agent-session.state.ts';
import type { SessionPresenter } from './session-presenter.ts';

/** What an answer says beside the session. */
interface Beside {
  readonly httpStatus?: number;
  readonly messages?: readonly ProtocolMessage[];
}

/** Whether its buyer must agree by a mandate (docs/rules/agent-mandates.md#when). */
export const isMandated = (
  { capabilities }: Pick<AgentSession, 'capabilities'>,
  { ap2Mandates }: { readonly ap2Mandates: boolean },
): boolean => ap2Mandates && capabilities.includes(capability.ap2Mandate);

/** Replaces lone surrogates: what is signed is UTF-8, which cannot hold them. */
const wellFormed = (session: ProtocolSession): ProtocolSession => {
  const text = JSON.stringify(session);
  if (!text.includes('\\ud')) return session;
  const mended = text.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (found) =>
    found === '\\\\' ? found : '\ufffd',
  );
  return JSON.parse(mended) as ProtocolSession;
};

export type SessionAnswerDeps = Pick<ModuleDeps, 'config' | 'ownKeys'> & {
  readonly present: SessionPresenter;
};

/** Sessions as answers to requests: in their own dialect, unless the request names one. */
export const createSessionAnswers = ({ present, config, ownKeys }: SessionAnswerDeps) => {
  const { extensions, schemaBaseUrl } = config.protocol.ucp;
  const write = (session: ProtocolSession, { ownVersion }: AgentRequest, dialect: DialectName): Json =>
    sessionForms[dialect](session, { version: versionOf(ownVersion, dialect), schemaBaseUrl });
  return {
    answer: (
      seen: SeenSession,
      { agent, baseUrl }: Pick<ProtocolRequest, 'agent' | 'baseUrl'>,
      { httpStatus = 200, messages = [] }: Beside = {},
    ): ProtocolAnswer<ProtocolSession> => {
      const dialect = dialectFor(agent, seen.session.dialect as DialectName);
      const { session } = present(seen, { baseUrl, messages });
      if (!isMandated(seen.session, extensions)) return { httpStatus, dialect, result: session };
      const signed = wellFormed(session);
      const merchantAuthorization = authorize(write(signed, agent, dialect), ownKeys.signer());
      return { httpStatus, dialect, result: { ...signed, merchantAuthorization } };
    },
    /** As JSON text. */
    text: (session: ProtocolSession, agent: AgentRequest, dialect: DialectName): string =>
      JSON.stringify(write(session, agent, dialect)),
    /** A session in a version of the protocol; null: the shop does not speak it. */
    shownIn: (session: ProtocolSession, agent: AgentRequest, version: unknown): Json | null => {
      const dialect = typeof version === 'string' ? dialectOfVersion(agent.ownVersion, version) : null;
      return dialect && write(wellFormed(session), agent, dialect);
    },
  };
};

export type SessionAnswers = ReturnType<typeof createSessionAnswers>;
