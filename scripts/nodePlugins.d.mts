import type { Plugin } from 'vite';

export declare function wasmUrlForNode(): Plugin;
export declare function oneTensorflow(): Plugin;
export declare function plainScriptsOutside(): Plugin;
