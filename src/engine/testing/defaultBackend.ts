// Runs before each test file of a shared process: the file starts on the backend that TensorFlow.js has by itself,
// whichever the file before it chose.
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';

await tf.setBackend('cpu');
