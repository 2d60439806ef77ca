import { Rejection } from './rejection.ts';

/**
 * Recorded in the stream of something that does not exist: a creation begun earlier is refused from now on. Those who
 * want a value claimed for it give its creation up first, so that the value has one owner whatever comes late.
 */
export interface CreationAbandoned {
  readonly type: 'CreationAbandoned';
  readonly data: Readonly<Record<never, never>>;
}

export interface AbandonCreation {
  readonly type: 'AbandonCreation';
}

/** Something that has not been created or has been deleted. */
export interface NotThere {
  readonly status: 'absent' | 'deleted';
  /** How often its creation has been given up. */
  readonly abandoned?: number;
}

type Created = { readonly status: 'present' };

/** How often the creation had been given up when this one began. */
export const timesAbandoned = (state: NotThere | Created): number =>
  state.status === 'present' ? 0 : (state.abandoned ?? 0);

/** Nothing happens to what is there. */
export const abandonCreation = ({ status }: NotThere | Created): readonly CreationAbandoned[] =>
  status === 'present' ? [] : [{ type: 'CreationAbandoned', data: {} }];

export const onCreationAbandoned = <State extends Created>(state: NotThere | State): NotThere | State =>
  state.status === 'present' ? state : { ...state, abandoned: timesAbandoned(state) + 1 };

/**
 * Refuses a creation that was given up since it began: its claims may be gone. `abandonedBefore` is left out where
 * nothing was claimed.
 */
export const refuseAbandoned = (state: NotThere, abandonedBefore?: number): void => {
  if (abandonedBefore !== undefined && timesAbandoned(state) > abandonedBefore) {
    throw new Rejection(
      'value-taken',
      'Creating this took too long: its unique values may be in use by now. Try again.',
    );
  }
};
