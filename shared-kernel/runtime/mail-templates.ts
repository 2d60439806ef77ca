import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import {
  compileTemplate,
  partsOf,
  TemplateError,
  type CompiledTemplate,
  type MailTemplate,
  type TemplateFormat,
} from '#mails/template.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';

/** A template that a configuration may name. */
export interface MailTemplateRecord {
  readonly path: string;
  /** It is Tillroll's own; a file of the shop's folder stands before it, where there is one. */
  readonly isShipped: boolean;
  /** The shop's folder has a file of it. */
  readonly isCustomised: boolean;
}

/** Templates of mails: the shop's, and beneath them those that are shipped (docs/rules/mails.md#templates). */
export interface MailTemplates {
  /** Every pair of a text and an HTML file, by path. Errors: `EngineUnavailable` where the folder cannot be read. */
  list(): Promise<readonly MailTemplateRecord[]>;
  /**
   * What is wrong with a path, as its caller reads it; null: there is a template that can be filled in. Errors:
   * `EngineUnavailable` where a file cannot be read.
   */
  problemOf(path: string): Promise<string | null>;
  /** As it was a second ago at most: a file that was changed counts soon. Errors: `TemplateError`. */
  load(path: string): Promise<MailTemplate>;
}

const shippedFolder = join(import.meta.dirname, '../mails/templates');
const PARTS = 'parts';
const MOST_BYTES = 262_144;
const MOST_DEEP = 10;
const extensions = { text: 'txt', html: 'html' } as const;

/** Names with `/` between them: no dot, so none leads out of the folder, and none names a hidden file. */
const isTemplatePath = (path: string): boolean =>
  path.length <= 200 && /^[\w-]+(?:\/[\w-]+)*$/.test(path) && path.split('/')[0] !== PARTS;

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Null where there is no such file in the folder. A link that leads out of the folder counts as none. */
const readIn = async (folder: string, file: string): Promise<string | null> => {
  try {
    const [root, path] = await Promise.all([realpath(folder), realpath(join(folder, file))]);
    if (!path.startsWith(root + sep)) return null;
    const { size } = await stat(path);
    if (size > MOST_BYTES) throw new TemplateError(`${file} must be ${MOST_BYTES} bytes or less`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
};

const filesIn = async (folder: string): Promise<ReadonlySet<string>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return new Set(names.map((name) => name.replaceAll(sep, '/')));
};

const pathsOf = (files: ReadonlySet<string>): readonly string[] =>
  [...files].filter((file) => file.endsWith('.html')).map((file) => file.slice(0, -'.html'.length));

type Read = (file: string) => Promise<string | null>;

/** The parts that a source takes in, and those that these take in. */
const partsIn = async (
  source: string,
  extension: string,
  read: Read,
): Promise<ReadonlyMap<string, string>> => {
  const parts = new Map<string, string>();
  let wanted = [...partsOf(source)];
  for (let depth = 0; wanted.length > 0 && depth <= MOST_DEEP; depth++) {
    const found = await Promise.all(
      [...new Set(wanted)]
        .filter((name) => !parts.has(name) && isTemplatePath(name))
        .map(async (name) => [name, await read(`${PARTS}/${name}.${extension}`)] as const),
    );
    for (const [name, part] of found) if (part !== null) parts.set(name, part);
    wanted = found.flatMap(([, part]) => (part === null ? [] : partsOf(part)));
  }
  return parts;
};

const compiled = async (path: string, format: TemplateFormat, read: Read): Promise<CompiledTemplate> => {
  const extension = extensions[format];
  const source = await read(`${path}.${extension}`);
  if (source === null) throw new TemplateError(`there is no ${path}.${extension}`);
  const parts = await partsIn(source, extension, read);
  try {
    return compileTemplate(source, format, parts);
  } catch (error) {
    if (error instanceof TemplateError) throw new TemplateError(`${path}.${extension}: ${error.message}`);
    throw error;
  }
};

const listed = async (folder: string): Promise<readonly MailTemplateRecord[]> => {
  const [own, shipped] = await Promise.all([filesIn(folder), filesIn(shippedFolder)]);
  const all = new Set([...pathsOf(own), ...pathsOf(shipped)]);
  const isThere = (file: string): boolean => own.has(file) || shipped.has(file);
  return [...all]
    .filter((path) => isTemplatePath(path) && isThere(`${path}.txt`))
    .toSorted()
    .map((path) => ({
      path,
      isShipped: shipped.has(`${path}.html`),
      isCustomised: own.has(`${path}.html`) || own.has(`${path}.txt`),
    }));
};

/** Of real time: many mails in a row read their files once. */
const KEPT_MILLISECONDS = 1000;
const MOST_KEPT = 100;

/** Keeps what was read for a moment; what failed is not kept. */
const keptForAMoment = (read: (path: string) => Promise<MailTemplate>): MailTemplates['load'] => {
  const kept = new Map<string, { readonly at: number; readonly template: Promise<MailTemplate> }>();
  return (path) => {
    const at = performance.now();
    const known = kept.get(path);
    if (known && at - known.at < KEPT_MILLISECONDS) return known.template;
    if (kept.size >= MOST_KEPT) kept.clear();
    // The reading itself, so that mails that come meanwhile wait for it.
    const template = read(path);
    kept.set(path, { at, template });
    template.catch(() => kept.get(path)?.template === template && kept.delete(path));
    return template;
  };
};

/** The disk is not the caller's fault, and what they asked may be asked again. */
const unreadable = (cause: unknown): unknown => {
  const { code } = cause as NodeJS.ErrnoException;
  return code === undefined
    ? cause
    : new EngineUnavailable(`a file of the mail templates cannot be read: ${code}`, { cause });
};

/** `folder`: the shop's own; it need not be there. */
export const createMailTemplates = (folder: string): MailTemplates => {
  const read: Read = async (file) => (await readIn(folder, file)) ?? (await readIn(shippedFolder, file));
  const load = async (path: string): Promise<MailTemplate> => {
    if (!isTemplatePath(path))
      throw new TemplateError('must be a path of letters, digits, - and _ within the folder of templates');
    // One after the other: of two that are wrong, the same one is told each time.
    const text = await compiled(path, 'text', read);
    return { text, html: await compiled(path, 'html', read) };
  };
  return {
    load: keptForAMoment(load),
    list: () =>
      listed(folder).catch((error: unknown) => {
        throw unreadable(error);
      }),
    problemOf: async (path) => {
      try {
        await load(path);
        return null;
      } catch (error) {
        if (error instanceof TemplateError) return error.message;
        throw unreadable(error);
      }
    },
  };
};
