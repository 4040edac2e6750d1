// Runs before each test file in a shared process, so that each file starts on the default backend of TensorFlow.js,
// whichever backend the previous file used.
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';

await tf.setBackend('cpu');
