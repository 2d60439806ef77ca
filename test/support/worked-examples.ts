import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import ts from 'typescript';

// The diffs of pages, applied to a copy of the tree and type-checked there.

/** A change of one file. */
interface FileChange {
  readonly file: string;
  readonly isNew: boolean;
  readonly hunks: readonly (readonly string[])[];
}

/** The changes that a page shows, in its order. A hunk begins with a bare `@@`: its lines say where it goes. */
export const changesIn = (page: string): readonly FileChange[] =>
  [...page.matchAll(/^```diff\n--- (.+)\n\+\+\+ b\/(.+)\n([\s\S]*?)^```$/gm)].map(
    ([, before, file = '', text = '']) => {
      const hunks = text.split(/^@@\n/m).slice(1);
      return {
        file,
        isNew: before === '/dev/null',
        hunks: hunks.map((hunk) => hunk.split('\n').slice(0, -1)),
      };
    },
  );

/** Its lines before or after the change: those without the other mark. */
const sideOf = (hunk: readonly string[], otherMark: '-' | '+'): readonly string[] =>
  hunk.filter((line) => !line.startsWith(otherMark)).map((line) => line.slice(1));

/** Throws where the lines of a hunk are not in the text, or more than once. */
export const applyChange = ({ file, hunks }: FileChange, text: string): string => {
  let lines = text.split('\n');
  for (const hunk of hunks) {
    const before = sideOf(hunk, '+');
    const isHere = (start: number): boolean => before.every((line, index) => lines[start + index] === line);
    const places = [...lines.keys()].filter(isHere);
    const [place] = places;
    if (place === undefined || places.length > 1)
      throw new Error(`${file}: ${places.length} places, not one, have these lines:\n${before.join('\n')}`);
    lines = lines.toSpliced(place, before.length, ...sideOf(hunk, '-'));
  }
  return lines.join('\n');
};

/**
 * Applies the changes of pages to a tree, in their order: a page may build on an earlier one. What the tree lacks comes
 * from here. Returns the files.
 */
export const applyPages = (pages: readonly string[], tree: string): readonly string[] => {
  const changed = new Set<string>();
  const apply = (change: FileChange): void => {
    const { file, isNew } = change;
    const path = join(tree, file);
    const text = isNew ? '' : readFileSync(changed.has(file) ? path : file, 'utf8');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, applyChange(change, text));
    changed.add(file);
  };
  for (const page of pages) {
    try {
      changesIn(readFileSync(page, 'utf8')).forEach(apply);
    } catch (cause) {
      throw new Error(`${page} no longer fits. ${(cause as Error).message}`, { cause });
    }
  }
  return [...changed];
};

const compilerOptions = (tree: string): ts.CompilerOptions => {
  const { config } = ts.readConfigFile(join(tree, 'tsconfig.json'), ts.sys.readFile) as {
    readonly config: { readonly compilerOptions: object };
  };
  return ts.convertCompilerOptionsFromJson(config.compilerOptions, tree).options;
};

/** The type errors of changed files, and of the files that import one of them. */
export const typeErrors = (tree: string, changed: readonly string[]): readonly string[] => {
  const imports = changed.map((file) => `/${basename(file)}'`);
  const sources = globSync(['*.ts', '{shared-kernel,*-service,test}/**/*.ts'], { cwd: tree });
  const checked = sources.filter((file) => {
    const text = readFileSync(join(tree, file), 'utf8');
    return changed.includes(file) || imports.some((specifier) => text.includes(specifier));
  });
  const rootNames = checked.map((file) => join(tree, file));
  const program = ts.createProgram({ rootNames, options: compilerOptions(tree) });
  const diagnostics = rootNames.flatMap((name) => {
    const source = program.getSourceFile(name);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  });
  return diagnostics.map(
    ({ file, messageText }) =>
      `${relative(tree, file?.fileName ?? tree)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
  );
};
