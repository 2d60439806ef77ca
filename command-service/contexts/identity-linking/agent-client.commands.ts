/** Ends all that a client may do for members. */
export interface DisableAgentClient {
  readonly type: 'DisableAgentClient';
  readonly clientId: string;
  readonly reason: string;
}

/** Lets a client ask members again. */
export interface EnableAgentClient {
  readonly type: 'EnableAgentClient';
  readonly clientId: string;
  readonly reason: string | null;
}

export type AgentClientCommand = DisableAgentClient | EnableAgentClient;
