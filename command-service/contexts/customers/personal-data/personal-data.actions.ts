import { Readable } from 'node:stream';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { ModuleDeps } from '#command/engine/module.ts';
import { isoInstant } from '#kernel/clock.ts';
import { Rejection } from '#kernel/rejection.ts';
import { customerStream } from '../customer.stream.ts';
import { heldData, type HeldDataSources } from './held-data.ts';

/** Beyond that callers are refused at once. */
const MOST_OPEN = 2;

export interface PersonalDataActions {
  /**
   * Records that it was asked for, and opens all that is held about a customer: JSON, read as fast as it is taken. The
   * stream fails where the reading does. Errors: `entity-not-found`, `too-busy`, `EngineUnavailable`.
   */
  open(
    customerId: string,
    meta: CommandMeta,
  ): Promise<{ readonly stream: Readable; readonly position: number }>;
}

const tooMany = (): Rejection =>
  new Rejection('too-busy', `${MOST_OPEN} answers of this kind are under way. Try again when one is done.`);

/** docs/rules/personal-data.md#answer */
export const createPersonalDataActions = (
  deps: HeldDataSources & Pick<ModuleDeps, 'streams' | 'clock'>,
): PersonalDataActions => {
  let open = 0;
  const letGo = (): void => void open--;

  return {
    open: async (customerId, meta) => {
      if (open >= MOST_OPEN) throw tooMany();
      open++;
      try {
        const command = { type: 'NotePersonalDataRequest' } as const;
        const { state, position } = await deps.streams.send(customerStream, customerId, command, meta);
        const memberId = state.status === 'known' ? state.fields.memberKey : null;
        const at = isoInstant(deps.clock.now());
        const stream = Readable.from(heldData(deps, { customerId, memberId, at }), { objectMode: false });
        stream.once('close', letGo);
        return { stream, position };
      } catch (error) {
        letGo();
        throw error;
      }
    },
  };
};
