import '@tensorflow/tfjs-backend-webgpu';
import { registerWebGpuKernels } from './register.ts';
registerWebGpuKernels();
await import('../../model/llama.gpu.test.ts');
await import('../../training/session.gpu.test.ts');
