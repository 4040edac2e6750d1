export declare const servedHeaders: Record<string, string>;
export declare const developmentHeaders: Record<string, string>;
