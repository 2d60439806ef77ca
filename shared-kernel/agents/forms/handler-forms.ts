import type { DialectContext, Json } from '../dialects.ts';
import type { PaymentHandler } from '../protocol-session.ts';
import { present, unlessEmpty } from './parts.ts';

const writeHandler = (handler: PaymentHandler, { version }: DialectContext): Json =>
  present({
    id: handler.id,
    version: handler.version ?? version,
    spec: handler.specUrl,
    schema: handler.schemaUrl,
    available_instruments: unlessEmpty(
      handler.instruments.map(({ type, constraints }) =>
        present({
          type,
          constraints: Object.keys(constraints ?? {}).length === 0 ? undefined : constraints,
        }),
      ),
    ),
    config: handler.config,
  });

const writeByName = (handlers: readonly PaymentHandler[], context: DialectContext): Json => {
  const byName = Map.groupBy(handlers, ({ name }) => name);
  return Object.fromEntries(
    [...byName].map(([name, named]) => [name, named.map((handler) => writeHandler(handler, context))]),
  );
};

/** By the list, and the version in which it is written. */
const written = new WeakMap<readonly PaymentHandler[], Readonly<{ version: string; byName: Json }>>();

/** The ways to pay under their names, as the current version lists them; a list that stays is written once. */
export const handlersByName = (handlers: readonly PaymentHandler[], context: DialectContext): Json => {
  const { version } = context;
  const known = written.get(handlers);
  if (known?.version === version) return known.byName;
  const byName = writeByName(handlers, context);
  written.set(handlers, { version, byName });
  return byName;
};

/** The same as the older version lists them. */
export const handlerList = (
  handlers: readonly PaymentHandler[],
  { version }: DialectContext,
): readonly Json[] =>
  handlers.map((handler) => ({
    id: handler.id,
    name: handler.name,
    version: handler.version ?? version,
    spec: handler.specUrl,
    config_schema: handler.schemaUrl,
    instrument_schemas: [],
    config: handler.config,
  }));
