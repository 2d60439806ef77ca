// For `--import`: a process that runs a script of the tests as one of the shop runs, and out of the same compile cache.
import { setUpRuntime } from '../../.config/runtime.js';

setUpRuntime();
