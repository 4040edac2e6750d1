// The commands that docs/coverage.md names, in the order in which coverage.test.ts runs them. A command can use what an
// earlier command wrote.

interface CoverageCommand {
  line: string;
  /** Words of the error message, if the program refuses the command. The command then shows that something is absent. */
  refused?: string;
}

/** The variables of the commands: sizes with which a command takes seconds, and the start of a language model. */
export const variables = {
  TINY: '--threads 1 --set run.iterations=1 --set learning.problemsPerIteration=8 --set learning.groupSize=2 --set learning.criticSteps=1 --set evaluation.problems=8',
  WORDS:
    '--model tiny-llama --set warmStart.modelSteps=1 --set warmStart.batchSize=1 --set learning.problemsPerIteration=2 --set learning.numMinibatches=1 --set agents.metaWindow=4 --set agents.reasonWindow=4',
} as const;

const debaters =
  '{"agents":[{"role":"debater","hears":[1],"sees":"all"},{"role":"debater","hears":[0],"sees":[]},{"role":"summariser","hears":[0,1],"sees":[]}],"order":[[0,1],[2]],"answer":2,"finisher":null,"context":"growing"}';

const table = {
  // Runs of small teams.
  team: {
    line: 'cothink train --preset quick $TINY --set evaluation.every=1 --set run.checkpointEvery=1 --set run.guard=true --out team',
  },
  resumed: { line: 'cothink train --resume --set run.iterations=2 --out team' },
  twoBrains: {
    line: 'cothink train --preset separate $TINY --set agents.parameters=separate --set learning.switchEvery=10 --set learning.startAgent=1 --out twoBrains',
  },
  otherWeights: {
    line: 'cothink train --preset separate $TINY --set learning.frozen=0 --set agents.start=twoBrains --set agents.otherStart=twoBrains#1 --out otherWeights',
  },
  byTurn: {
    line: 'cothink train --preset default $TINY --set agents.parameters=shared --set learning.ratioLevel=turn --set learning.turnMean=geometric --set learning.aggregation=trajectory --set agents.metaWindow=8 --set agents.reasonWindow=8 --set agents.stopWhenTruncated=true --out byTurn',
  },
  byTurnOfAgents: {
    line: 'cothink train --preset adapters $TINY --set agents.adapterPer=turn --set learning.switchEvery=1 --set learning.switchOver=turn --out byTurnOfAgents',
  },
  unequal: {
    line: 'cothink train --preset happo $TINY --set agents.parameters=heterogeneous --set agents.otherSize=micro --set warmStart.source=none --out unequal',
  },
  ippo: { line: 'cothink train --preset ippo $TINY --out ippo' },
  mappo: { line: 'cothink train --preset mappo $TINY --out mappo' },
  cory: { line: 'cothink train --preset cory $TINY --out cory' },
  vdn: { line: 'cothink train --preset vdn $TINY --set learning.mixingSteps=1 --out vdn' },
  qmix: {
    line: 'cothink train --preset qmix $TINY --set learning.mixingSteps=1 --set learning.mixerHidden=16 --out qmix',
  },
  vote: { line: 'cothink train --preset vote $TINY --out vote' },
  leader: {
    line: 'cothink train --preset vote $TINY --set agents.protocol=summary --set warmStart.source=none --out leader',
  },
  ownProtocol: {
    line: `cothink train --preset debate $TINY --set agents.protocol=own --set 'agents.own=${debaters}' --set warmStart.source=none --out ownProtocol`,
  },
  verified: {
    line: 'cothink train --preset debate $TINY --set agents.count=3 --set agents.roundLimit=3 --set verifier.isTrained=true --set verifier.isBalanced=true --set verifier.reward=0.5 --set warmStart.source=train --set warmStart.steps=2 --set warmStart.heardWeight=0.5 --out verified',
  },
  selfPlay: {
    line: 'cothink train --preset dpo $TINY --set learning.pairsFrom=demonstrations --set learning.preferenceBeta=0.1 --set optimiser.learningRate=1e-5 --set kl.refreshEvery=1 --out selfPlay',
  },
  pairs: { line: 'cothink export byTurn --as preferences --out pairs.jsonl' },
  fromPairs: {
    line: 'cothink train --preset dpo $TINY --set learning.pairsFrom=imported --pairs pairs.jsonl --out fromPairs',
  },
  code: {
    line: 'cothink train --preset ppo $TINY --set world.name=code --set code.runs=0.1 --set code.hiddenTests=0.5 --set agents.roundLimit=2 --out code',
  },
  story: {
    line: 'cothink train --preset ppo $TINY --set world.name=wordProblems --set learning.clipLow=0.2 --set learning.clipHigh=0.2 --set learning.gamma=0.99 --set learning.gaeLambda=0.95 --set learning.numMinibatches=2 --out story',
  },
  algebra: {
    line: 'cothink train --preset grpo $TINY --set world.name=algebra --set world.level=4 --set world.easier=0.5 --set learning.groupSize=4 --set learning.groupStd=true --out algebra',
  },
  court: {
    line: 'cothink train --preset court $TINY --set debate.evidence=0.2 --set debate.reasoning=0.2 --set debate.consistency=0.2 --set debate.victory=0.2 --out court',
  },
  tools: {
    line: 'cothink train --preset ppo $TINY --set world.name=tools --set agents.protocol=toolLoop --set tools.wellFormedCall=0.1 --out tools',
  },
  severalWorlds: {
    line: `cothink train --preset entailment $TINY --set 'world.also=[{"name":"wordProblems","level":1,"weight":1}]' --out severalWorlds`,
  },
  taught: {
    line: 'cothink train --preset sft $TINY --set learning.imitate=demonstrations --set world.name=wordProblems --out taught',
  },
  afterTeaching: {
    line: 'cothink train --preset grpo $TINY --set world.name=wordProblems --set agents.start=taught --out afterTeaching',
  },
  lookingBack: {
    line: 'cothink train --preset recall $TINY --set memory.recall=true --set memory.kept=2 --set memory.calledBack=1 --set learning.outcomeShare=0.8 --out lookingBack',
  },
  ownWorld: { line: 'cothink train --world world.js $TINY --set warmStart.source=none --out ownWorld' },
  // Published recipes on a language model.
  remaShared: {
    line: 'cothink train --preset remaShared $TINY $WORDS --set warmStart.modelImitates=chats --chats chats.jsonl --out remaShared',
  },
  remaSeparate: { line: 'cothink train --preset remaSeparate $TINY $WORDS --out remaSeparate' },
  maporl: {
    line: 'cothink train --preset maporl $TINY $WORDS --set \'agents.prompts={"system":"Answer briefly."}\' --out maporl',
  },
  rememr1: { line: 'cothink train --preset rememr1 $TINY $WORDS --out rememr1' },
  // Files of problems.
  gsm8k: { line: 'cothink import gsm8k.jsonl --prompt 128 --out gsm8k.world' },
  inGsm8k: { line: 'cothink train --preset alone --world gsm8k.world $TINY --set warmStart.source=none --out inGsm8k' },
  anli: { line: 'cothink import anli.jsonl --out anli.world' },
  hotpotQa: { line: 'cothink import hotpotqa.jsonl --out hotpotqa.world' },
  twoWiki: { line: 'cothink import 2wikimultihopqa.jsonl --out 2wikimultihopqa.world' },
  humanEval: { line: 'cothink import humaneval-js.jsonl --out humaneval-js.world' },
  // Commands on stored runs.
  evaluated: { line: 'cothink eval team --at 1 --problems 16 --output team.json' },
  evaluatedElsewhere: { line: 'cothink eval story --world entailment --problems 16' },
  collected: { line: 'cothink collect team --filter-reward 1 --rounds 2 --out right.jsonl' },
  collectedFew: { line: 'cothink collect story --world entailment --dialogues 8 --out few.jsonl' },
  runFile: { line: 'cothink export team --as run --out team.yaml' },
  fromRunFile: { line: 'cothink train team.yaml --set run.iterations=1 --out fromRunFile' },
  weights: { line: 'cothink export team --as weights --agent 1 --out reasoner.zip' },
  merged: { line: 'cothink export rememr1 --as merged --type F16 --out merged.zip' },
  verifierFile: { line: 'cothink export verified --as verifier --out verifier.zip' },
  events: { line: 'cothink export team --as events --out team.tfevents' },
  forTrl: { line: 'cothink export team --for trl --out trl' },
  forVerl: { line: 'cothink export team --for verl --out verl' },
  served: { line: 'cothink serve verified --port 8000 --grpc 50051' },
  severalServed: { line: 'cothink serve --world houseRule --world code --port 8001' },
  remote: {
    line: 'cothink train --preset debate $TINY --set agents.count=3 --set agents.roundLimit=3 --set warmStart.source=none --env grpc://localhost:50051 --out remote',
  },
  // Lists.
  machine: { line: 'cothink info' },
  presetList: { line: 'cothink presets' },
  worldList: { line: 'cothink worlds' },
  levels: { line: 'cothink worlds wordProblems' },
  collapseClaim: { line: 'cothink claims collapse' },
  ratioClaim: { line: 'cothink claims turn-ratio' },
  // Commands that are refused, because something is absent.
  pythonRefused: { line: 'cothink import humaneval.jsonl', refused: 'programs in Python cannot be run here' },
  memAgentRefused: { line: 'cothink import memagent.jsonl', refused: 'expected rows in one of these formats' },
  piecesRefused: {
    line: 'cothink train --world hotpotqa.world --set agents.protocol=memoryAlone',
    refused: 'cannot be used with the protocol',
  },
  largeModelRefused: {
    line: 'cothink info Qwen2.5-3B-Instruct',
    refused: 'expected at most 600 million parameters',
  },
  wholeModelRefused: {
    line: 'cothink train --preset default --model tiny-llama --set agents.parameters=separate',
    refused: 'this model can be trained with adapters only',
  },
  otherWordsRefused: {
    line: 'cothink eval story --world algebra',
    refused: 'uses words that the networks of this run have not learned',
  },
  mixtureRefused: {
    line: `cothink train --preset code --set 'world.also=[{"name":"tools","level":1,"weight":1}]'`,
    refused: 'code and tools have no words in common',
  },
  otherLearnerRefused: { line: 'cothink train --set learning.learner=sac', refused: 'expected one of grpo' },
} as const satisfies Record<string, CoverageCommand>;

export type CommandName = keyof typeof table;

/** All commands by name. */
export const commands: Readonly<Record<CommandName, CoverageCommand>> = table;
