import { derivedId, newId } from '#kernel/ids.ts';
import type { CommandMeta } from './command-engine.ts';

/**
 * For the steps that a command leads to: a repeat of theirs is recognised by their business keys. The command's own id
 * stands for that command alone, else a second step on the same stream would be taken for its repeat.
 */
export const stepMeta = ({ commandId: _, bodyFingerprint: __, ...meta }: CommandMeta): CommandMeta => meta;

/** The id of what a command creates: derived when it may be repeated, so that a repeat meets its own streams. */
export const idOfCreated = (noun: string, { commandId }: Pick<CommandMeta, 'commandId'>): string =>
  commandId === undefined ? newId() : derivedId(noun, commandId);
