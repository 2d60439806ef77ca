/** An object's members, those that may be undefined as optional ones (`exactOptionalPropertyTypes` is on). */
type Defined<Members> = {
  [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
} & {
  [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<
    Members[Name],
    undefined
  >;
};

/** The members without those that are undefined, in their order: `{ id, ...defined({ reason, note }) }`. */
export const defined = <Members extends object>(members: Members): Defined<Members> => {
  const kept: Partial<Members> = {};
  for (const name in members) if (members[name] !== undefined) kept[name] = members[name];
  return kept as unknown as Defined<Members>;
};
