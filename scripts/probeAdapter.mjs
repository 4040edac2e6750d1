// Prints as JSON whether Dawn finds a WebGPU adapter in this environment, and which one. It runs as a separate process,
// because an incompatible driver may crash its process.
try {
  const { create } = await import('webgpu');
  const adapter = await create([]).requestAdapter();
  const name = adapter && [adapter.info.description, adapter.info.vendor].find(Boolean);
  console.log(JSON.stringify(adapter ? { name } : { reason: 'Dawn finds no adapter with this driver' }));
} catch (error) {
  console.log(
    JSON.stringify({
      reason: `the npm package webgpu does not load: ${/** @type {Error} */ (error).message.split('\n')[0]}`,
    }),
  );
}
process.exit(0);
