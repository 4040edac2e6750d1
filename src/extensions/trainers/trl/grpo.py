"""GRPO with TRL: `python grpo.py --config grpo.yaml`. Arguments behind that override the file."""

from datasets import load_dataset
from reward import reward
from trl import GRPOConfig, GRPOTrainer, ModelConfig, TrlParser, get_peft_config

settings, model = TrlParser((GRPOConfig, ModelConfig)).parse_args_and_config()
prompts = load_dataset("json", data_files={"train": "prompts.jsonl", "test": "held-out.jsonl"})
trainer = GRPOTrainer(
    model="model",
    args=settings,
    reward_funcs=reward,
    train_dataset=prompts["train"],
    eval_dataset=prompts["test"],
    peft_config=get_peft_config(model),
)
trainer.train()
trainer.save_model()
