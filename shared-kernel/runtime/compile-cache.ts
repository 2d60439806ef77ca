import { constants, enableCompileCache, flushCompileCache } from 'node:module';

const { DISABLED, FAILED } = constants.compileCacheStatus;
/** How Node names its TypeScript compiler among what a thread has loaded. */
const COMPILER = 'NativeModule internal/deps/amaro/dist/index';
const PRICE = 'each thread that compiles keeps a TypeScript compiler of some 20 MB';

const hasCompiler = (): boolean => {
  // Not declared, as Node does not promise it: without it nothing is said.
  const { moduleLoadList = [] } = process as { readonly moduleLoadList?: readonly string[] };
  return moduleLoadList.includes(COMPILER);
};

/**
 * Writes what this process has compiled for the next start: a kill never does, and the start after a kill is the one
 * that should be quick. Returns why this start had to compile, if it had to, and what to do about it.
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
