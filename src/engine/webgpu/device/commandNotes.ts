// A command encoder that passes every command to another encoder and reports the commands to a reader: dispatches with
// their pipelines and bindings, other commands by their names.

/** One dispatch, to be replayed. */
export interface DispatchCommand {
  pipeline: GPUComputePipeline;
  group: GPUBindGroup;
  counts: [x: number, y: number, z: number];
}

export interface CommandReader {
  onDispatch(command: DispatchCommand): void;
  /** Called for a command that is not a dispatch, or for a dispatch that cannot be replayed. */
  onOther(name: string): void;
}

const harmless = new Set<string | symbol>(['finish', 'pushDebugGroup', 'popDebugGroup', 'insertDebugMarker']);

export function readAlong(encoder: GPUCommandEncoder, reader: CommandReader): GPUCommandEncoder {
  return new Proxy(encoder, {
    get(target, name) {
      if (name === 'beginComputePass')
        return (descriptor?: GPUComputePassDescriptor) => readPass(target.beginComputePass(descriptor), reader);
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (!harmless.has(name)) reader.onOther(String(name));
      return value.bind(target) as unknown;
    },
  });
}

function readPass(pass: GPUComputePassEncoder, reader: CommandReader): GPUComputePassEncoder {
  let pipeline: GPUComputePipeline;
  let group: GPUBindGroup;
  const read: Partial<GPUComputePassEncoder> = {
    setPipeline(next: GPUComputePipeline) {
      pipeline = next;
      pass.setPipeline(next);
    },
    setBindGroup(index: number, next: GPUBindGroup) {
      if (index !== 0) reader.onOther(`setBindGroup ${String(index)}`);
      group = next;
      pass.setBindGroup(index, next);
    },
    dispatchWorkgroups(x: number, y = 1, z = 1) {
      reader.onDispatch({ pipeline, group, counts: [x, y, z] });
      pass.dispatchWorkgroups(x, y, z);
    },
    dispatchWorkgroupsIndirect(buffer: GPUBuffer, offset: number) {
      reader.onOther('dispatchWorkgroupsIndirect');
      pass.dispatchWorkgroupsIndirect(buffer, offset);
    },
    end() {
      pass.end();
    },
  };
  return read as GPUComputePassEncoder;
}
