// The parts of the library, which are also its entries besides `cothink` itself.
export const parts = ['worlds', 'learners', 'train', 'formats', 'inspect'];
