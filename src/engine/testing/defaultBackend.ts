// Sets the default backend of TensorFlow.js before each test file in a shared process, because the previous file may
// have used another backend.
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';

await tf.setBackend('cpu');
