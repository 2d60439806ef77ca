// Loaded with --import: what is no command of the shop runs as those do, with their flags and out of the compile cache.
import { setUpRuntime } from './runtime.js';

setUpRuntime();
