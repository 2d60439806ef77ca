/** How something learns of an event, in the order in which it is printed. */
export const roles = ['state', 'memory', 'view', 'process', 'handler', 'job', 'topic'] as const;
export type Role = (typeof roles)[number];

/** Something that is registered, and the types of the events that reach it. */
export interface Reaction {
  readonly role: Role;
  /** As it is registered. */
  readonly name: string;
  readonly types: readonly string[];
  /** Where it is declared, where the registration says so; from the root of the repository. */
  readonly file?: string;
  /** By event type, what the event means to it beyond a change. */
  readonly means?: Readonly<Record<string, string>>;
}

/** A decider, under the name by which its file exports it. */
export interface ExportedDecider {
  /** Of its streams: `invoice`. */
  readonly category: string;
  readonly file: string;
  readonly name: string;
}

/** What a service registers that appends events or learns of them. */
export interface EventRegistrations {
  readonly deciders?: readonly ExportedDecider[];
  readonly reactions: readonly Reaction[];
}
