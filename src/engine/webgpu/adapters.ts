// Facts that are derived from the description of an adapter.

/** Whether an adapter computes on the CPU instead of a GPU. */
export function isSoftwareAdapter({
  isFallbackAdapter,
  vendor,
  architecture,
  device,
  description,
}: GPUAdapterInfo): boolean {
  const words = `${vendor} ${architecture} ${device} ${description}`.toLowerCase();
  return isFallbackAdapter || /swiftshader|llvmpipe|lavapipe|software/.test(words);
}
