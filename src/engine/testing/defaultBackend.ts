// Runs before each test file of a shared process. The file then starts on the default backend of TensorFlow.js,
// whichever backend the previous file chose.
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';

await tf.setBackend('cpu');
