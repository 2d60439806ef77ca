import { constants, enableCompileCache, flushCompileCache, getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

const { DISABLED, FAILED } = constants.compileCacheStatus;
/** The name of Node's TypeScript compiler in the list of loaded modules. */
const COMPILER = 'NativeModule internal/deps/amaro/dist/index';
const PRICE = 'each thread that compiles keeps a TypeScript compiler of some 20 MB';

const hasCompiler = (): boolean => {
  // Undeclared, as Node does not promise it; without it, nothing is reported.
  const { moduleLoadList = [] } = process as { readonly moduleLoadList?: readonly string[] };
  return moduleLoadList.includes(COMPILER);
};

/**
 * Saves compiled code for the next start, which a killed process never does, although the start after a kill should be
 * quick. Returns why this start had to compile, if it did, and what to do about it.
 */
export const keepCompiled = (): string | null => {
  const { status, directory, message } = enableCompileCache();
  if (status === DISABLED) return null;
  if (status === FAILED)
    return `There is no compile cache: ${message}. ${PRICE}: let NODE_COMPILE_CACHE name a folder that can be written.`;
  flushCompileCache();
  if (!hasCompiler()) return null;
  return `The compile cache was empty, damaged or older than the code. ${PRICE}; the next start finds it in ${directory}, if that can be written.`;
};

/** The environment of a process that starts out of the compile cache of this one, and is told nothing else. */
export const compiledOnly = (): NodeJS.ProcessEnv => {
  const cache = getCompileCacheDir();
  // In a folder of its own for each version of Node.
  return cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) };
};
