// Rows that have exactly the same shapes as published data sets, but contain made-up numbers and names. Tests write
// these rows to files.

export const gsm8kRow = (i: number) => ({
  question: `Mia has ${i} shells and finds ${i % 7} bags of ${i % 5} more. How many shells does Mia have?`,
  answer:
    `She finds ${i % 7}*${i % 5} = <<${i % 7}*${i % 5}=${(i % 7) * (i % 5)}>>${(i % 7) * (i % 5)} shells.\n` +
    `So she has ${i}+${(i % 7) * (i % 5)} = <<${i}+${(i % 7) * (i % 5)}=${i + (i % 7) * (i % 5)}>>${i + (i % 7) * (i % 5)} shells.\n` +
    `#### ${i + (i % 7) * (i % 5)}`,
});

export const anliRow = (i: number) => ({
  uid: `row-${i}`,
  premise: `Town ${i} was founded in ${1200 + i} and lies on the river ${i % 9}.`,
  hypothesis: `Town ${i} lies on the river ${i % 2 === 0 ? i % 9 : (i % 9) + 1}.`,
  label: i % 3,
  reason: 'The river is named.',
});

const sentencesOf = (i: number) => [`Person ${i} was born in town ${i % 40}. `, `Person ${i} plays chess.`];

const paragraphsOf = (i: number): [string, string[]][] => [
  [`Person ${i + 1}`, sentencesOf(i + 1)],
  [`Person ${i}`, sentencesOf(i)],
  [`Town ${i % 40}`, [`Town ${i % 40} lies by lake ${i % 11}.`, ' It has a mill.']],
];

/** A row of HotpotQA in the format of tables. */
export const hotpotRow = (i: number) => ({
  id: `5a${i}`,
  question: `By which lake lies the town in which Person ${i} was born?`,
  answer: `lake ${i % 11}`,
  type: i % 4 === 0 ? 'comparison' : 'bridge',
  level: ['easy', 'medium', 'hard'][i % 3],
  supporting_facts: { title: [`Person ${i}`, `Town ${i % 40}`], sent_id: [0, 0] },
  context: { title: paragraphsOf(i).map(([title]) => title), sentences: paragraphsOf(i).map(([, said]) => said) },
});

/** A row of HotpotQA in its own JSON format. */
export const hotpotListRow = (i: number) => {
  const { id, supporting_facts: facts, ...row } = hotpotRow(i);
  const supporting = facts.title.map((title, k) => [title, facts.sent_id[k]]);
  return { _id: id, ...row, supporting_facts: supporting, context: paragraphsOf(i) };
};

export const twoWikiRow = (i: number) => {
  const { _id, question, answer, context, supporting_facts } = hotpotListRow(i);
  const evidences = [[`Person ${i}`, 'place of birth', `Town ${i % 40}`]];
  return { _id, type: 'compositional', question, context, supporting_facts, evidences, answer };
};

/** A row in the shape of HumanEval, in JavaScript. */
export const javaScriptRow = (i: number) => ({
  task_id: `JavaScript/${i}`,
  prompt: `/* Adds ${i} to a number. It may be negative.\n  >>> add${i}(1)\n  ${i + 1}\n  */\nconst add${i} = (x) => {\n`,
  canonical_solution: `  return x + ${i};\n}\n\n`,
  test: `const testAdd = () => {\n  console.assert(add${i}(1) === ${i + 1})\n  console.assert(add${i}(-2) === ${i - 2})\n}\n\ntestAdd()\n`,
  declaration: `\nconst add${i} = (x) => {\n`,
  entry_point: `add${i}`,
});

/** A row of the published HumanEval, which is in Python. */
export const pythonRow = (i: number) => ({
  task_id: `HumanEval/${i}`,
  prompt: `from typing import List\n\n\ndef add${i}(x: int) -> int:\n    """ Adds ${i} => a sum. """\n`,
  canonical_solution: `    return x + ${i}\n`,
  test: `def check(candidate):\n    assert candidate(1) == ${i + 1}\n`,
  entry_point: `add${i}`,
});

/** A row of MultiPL-E. */
export const multiPleRow = (i: number) => ({
  name: `HumanEval_${i}_add${i}`,
  language: 'js',
  prompt: `//Adds ${i} to a number.\n// >>> add${i}(1)\n// ${i + 1}\nfunction add${i}(x){\n`,
  tests: `const assert = require('node:assert');\n\n\nfunction test() {\n  let candidate = add${i};\n  assert.deepEqual(candidate(1),${i + 1});\n}\n\ntest();`,
  stop_tokens: ['\nfunction ', '\n/*', '\n//', '\nconsole.log'],
});

export const rowsOf = <Row>(row: (i: number) => Row, count: number): Row[] =>
  Array.from({ length: count }, (_, i) => row(i + 1));

/** The first eleven rows of GSM8K as a table whose pages were compressed by zstd 1.5. */
export const zstdTable =
  'UEFSMRUGFc4NFawCXBUWFQAVFhUAFQAVAAAAKLUv/QRoTQQAIoYUF3CtxkhRwiQAnDz90QTuIIgl1OtU/We2bxnbpBW7JW5seAVhFgTvPedca82Q01XSWE0YTdFjQEo0emfotYHLe43zYY4TXiFIOvW9Qmf4KGstJB+oEMhm2P8OsDNqOBAUAYECkTiWV/l7QPKeSEwLPYfjNQGKtwfJ+anWu/BINbvYQOa7NgVc6axzFQYVsA4V0gRcFRYVABUWFQAVABUAAAAotS/9BGjlCABGES4ZcE3aGBo2U3C1EKDHyK0RIpE71ngz9a2eDi0AJAAkAPrrYiEWohHgj2szm4nCYSSIwGACgTAcE+Pf6zKBYNa4bCaLyKNhGA4EAAAoBHXu8D9cZEM2Rf6RV0u1NIH2j97FcrFc/mWzMisNCP1o1VANA7+9aUqakn9ulrOc0p9SwjqsKyBDyJALudA5/9mzc3buv706F8f+j1fNNtulLj2c/Z/37HzOqzyk5D95FVsUW5RfWS3UQtsBOKghLKabaFLX72AVFDRuMQjXIAERPOoyW4rF+wJLiU/P1EPvBbRPdKEKzHSGBV+kugF60wjWj+o9CINsWqCFDlahAEL/E+hVmLL8vgDxCW6A+DghwKlPuLKq+sRPjy1dBaoJqWQVBBk8SARyb290FQQAFQwlABgIcXVlc3Rpb24lAAAVDCUAGAZhbnN3ZXIlAAAWFhkcGSwmCBwVDBkVABkYCHF1ZXN0aW9uFQwWFhb8DRbaAiYIPDYAKBBNaWEgaGFzIDkgc2hlbGx0GBBNaWEgaGFzIDEgc2hlbGxzEhIAGRwVBhUAFQIAAAAm4gIcFQwZFQAZGAZhbnN3ZXIVDBYWFt4OFoAFJuICPDYAKBBTaGUgZmluZHMgNioxID0hGBBTaGUgZmluZHMgMCoyID0gEhIAGRwVBhUAFQIAAAAW2hwWFjbaBwAoCWh5cGFycXVldBksHAAAHAAAAPgAAABQQVIx';

/** A file of JSON Lines. */
export const linesFile = (rows: readonly unknown[]): Blob => new Blob(rows.map((row) => `${JSON.stringify(row)}\n`));
