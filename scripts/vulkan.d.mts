export interface VulkanDriver {
  /** The driver's manifest; absent where the platform brings its own GPU interface. */
  file?: string;
  name?: string;
  /** Why there is no driver. */
  reason?: string;
}

export declare function chooseVulkanDriver(options?: { isForTests?: boolean }): VulkanDriver;
export declare function findChromium(): string | undefined;
/** Pythons that may have torch, the likeliest first. */
export declare const pythonCommands: readonly string[];
