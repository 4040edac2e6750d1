// `cothink`: all parts of the library. A program that needs one part imports that part.
export * from './formats.ts';
export * from './inspect.ts';
export * from './learners.ts';
export * from './train.ts';
export * from './worlds.ts';
