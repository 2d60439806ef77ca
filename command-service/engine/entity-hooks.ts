import { entities } from '#entities/entities.ts';
import type { EntityCommand, EntityState } from '#kernel/entity.ts';
import { notificationNamed, type BeforeNotification } from '#values/notifications.ts';
import { commandHooks, type CommandHooks, type Notified } from './hooks.ts';

type State = EntityState<object>;

/** The fields as they were before the change. */
const fieldsOf = (state: State): object => (state.status === 'present' ? state.fields : {});

const upperFirst = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** What is asked before a resource is created, saved or deleted: of those kinds that have notifications. */
export const entityHooks = (): readonly CommandHooks[] =>
  entities.flatMap(({ category }) => {
    const prefix = upperFirst(category);
    const named = (word: string) => `${prefix}${word}Notification` as BeforeNotification;
    if (!notificationNamed(named('Creating'))) return [];
    const saving = (input: object): Notified => [named('Saving'), input];
    return [
      commandHooks<State, EntityCommand<object>>(category, {
        Create: ({ fields }, _, id) => [named('Creating'), { ...fields, id }],
        Change: ({ changes }, state, id) => saving({ ...fieldsOf(state), id, changes }),
        Delete: (_, state, id) => [named('Deleting'), { ...fieldsOf(state), id }],
      }),
    ];
  });
