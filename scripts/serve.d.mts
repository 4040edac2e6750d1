export interface Served {
  /** Origin without a trailing slash. */
  url: string;
  port: number;
  close(): Promise<void>;
}

/** Serves a folder with the page's own headers on `port` or the next free one. */
export declare function serveFolder(options: { folder: string; port?: number; host?: string }): Promise<Served>;
