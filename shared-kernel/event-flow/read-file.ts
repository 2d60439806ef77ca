import { posix } from 'node:path';
import ts from 'typescript';

// One file as the compiler parses it: which events its top-level declarations construct and what they refer to. Names
// are resolved by imports alone; a local variable that hides a declaration counts as a reference to it.

export interface Source {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

export interface Place {
  readonly file: string;
  readonly line: number;
}

/** Where an event type is constructed. */
export interface Construction extends Place {
  readonly type: string;
}

/** A top-level declaration. */
export interface Declaration {
  readonly constructs: Construction[];
  /** Other declarations, as `keyOf` names them. */
  readonly refersTo: string[];
}

const placeOf = (source: ts.SourceFile, node: ts.Node): Place => ({
  file: source.fileName,
  line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1,
});

/** Path aliases of package.json, such as `#kernel/*`. */
export type Aliases = Readonly<Record<string, string>>;

/** Names a declaration of a file. */
export const keyOf = (file: string, name: string): string => `${file} ${name}`;

const resolve = (aliases: Aliases, from: string, specifier: string): string | null => {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier);
  const [alias = '', ...rest] = specifier.split('/');
  const target = aliases[`${alias}/*`];
  return target === undefined ? null : posix.join(target.replace(/\*$/, ''), ...rest);
};

/** Local names of what a file imports; types are not followed. */
const importsOf = (source: ts.SourceFile, aliases: Aliases): ReadonlyMap<string, string> => {
  const names = new Map<string, string>();
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const file = resolve(aliases, source.fileName, statement.moduleSpecifier.text);
    const { namedBindings } = statement.importClause ?? {};
    if (file === null || !namedBindings || !ts.isNamedImports(namedBindings)) continue;
    for (const { isTypeOnly, name, propertyName } of namedBindings.elements)
      if (!isTypeOnly) names.set(name.text, keyOf(file, (propertyName ?? name).text));
  }
  return names;
};

const isConstructors = (node: ts.Node | undefined): boolean =>
  node !== undefined && ts.isPropertyAccessExpression(node) && node.name.text === 'create';

/** `const { PaymentCaptured } = invoiceEvents.create`: by local name, the type. */
const constructorsOf = (source: ts.SourceFile): ReadonlyMap<string, string> => {
  const names = new Map<string, string>();
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (!ts.isObjectBindingPattern(name) || !isConstructors(initializer)) continue;
      for (const { name: local, propertyName } of name.elements)
        if (ts.isIdentifier(local))
          names.set(
            local.text,
            propertyName && ts.isIdentifier(propertyName) ? propertyName.text : local.text,
          );
    }
  }
  return names;
};

/** `{ type: 'CreationAbandoned', data: {} }`: an event without a constructor. */
const literalEvent = (node: ts.ObjectLiteralExpression): string | null => {
  const valueOf = (wanted: string): ts.Expression | null => {
    for (const property of node.properties)
      if (
        ts.isPropertyAssignment(property) &&
        ts.isIdentifier(property.name) &&
        property.name.text === wanted
      )
        return property.initializer;
    return null;
  };
  const type = valueOf('type');
  return type && valueOf('data') && ts.isStringLiteral(type) ? type.text : null;
};

interface Reading {
  readonly source: ts.SourceFile;
  readonly imports: ReadonlyMap<string, string>;
  readonly constructors: ReadonlyMap<string, string>;
}

/** Collects what a declaration constructs and refers to. Names of properties and types are no references. */
const collect = (reading: Reading, root: ts.Node, into: Declaration): void => {
  const { source, imports, constructors } = reading;
  const construct = (type: string, node: ts.Node): void => {
    into.constructs.push({ type, ...placeOf(source, node) });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    if (ts.isIdentifier(node)) {
      const type = constructors.get(node.text);
      if (type === undefined) into.refersTo.push(imports.get(node.text) ?? keyOf(source.fileName, node.text));
      else construct(type, node);
      return;
    }
    if (ts.isPropertyAccessExpression(node)) {
      if (isConstructors(node.expression)) construct(node.name.text, node);
      // `PaymentCaptured.type` only names the event.
      else if (!(ts.isIdentifier(node.expression) && constructors.has(node.expression.text)))
        visit(node.expression);
      return;
    }
    if (ts.isPropertyAssignment(node)) {
      if (ts.isComputedPropertyName(node.name)) visit(node.name);
      visit(node.initializer);
      return;
    }
    if (ts.isObjectLiteralExpression(node)) {
      const type = literalEvent(node);
      if (type !== null) construct(type, node);
    }
    ts.forEachChild(node, visit);
  };
  visit(root);
};

/** A member of an object. Its line is counted when it is asked for: of most members it is not. */
export interface Member {
  readonly key: string;
  readonly place: () => Place;
}

export interface FileFacts {
  /** By `keyOf`. */
  readonly declarations: readonly (readonly [key: string, declared: Declaration])[];
  /** The members of every object, by their keys. */
  readonly keys: readonly Member[];
  /** Those called `name`, by the text that they hold. */
  readonly names: readonly Member[];
}

const membersOf = (source: ts.SourceFile): Pick<FileFacts, 'names' | 'keys'> => {
  const names: Member[] = [];
  const keys: Member[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && (ts.isIdentifier(node.name) || ts.isStringLiteral(node.name))) {
      const { initializer } = node;
      const key = node.name.text;
      const place = (): Place => placeOf(source, node);
      if (key === 'name' && ts.isStringLiteral(initializer)) names.push({ key: initializer.text, place });
      // A number beside an event's type is its schema version.
      if (!ts.isNumericLiteral(initializer)) keys.push({ key, place });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { names, keys };
};

const declarationsOf = (source: ts.SourceFile, aliases: Aliases): FileFacts['declarations'] => {
  const path = source.fileName;
  const reading = { source, imports: importsOf(source, aliases), constructors: constructorsOf(source) };
  const declared = (name: string, node: ts.Node): readonly [string, Declaration] => {
    const declaration: Declaration = { constructs: [], refersTo: [] };
    ts.forEachChild(node, (child) => collect(reading, child, declaration));
    return [keyOf(path, name), declaration];
  };
  return source.statements.flatMap((statement) => {
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.flatMap((one) =>
        ts.isIdentifier(one.name) ? [declared(one.name.text, one)] : [],
      );
    }
    const isNamed = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement);
    return isNamed && statement.name ? [declared(statement.name.text, statement)] : [];
  });
};

export const readFile = ({ path, text }: Source, aliases: Aliases): FileFacts => {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  return { declarations: declarationsOf(source, aliases), ...membersOf(source) };
};
