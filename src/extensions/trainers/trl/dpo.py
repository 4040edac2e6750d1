"""DPO with TRL: `python dpo.py --config dpo.yaml`. Arguments behind that override the file."""

from datasets import load_dataset
from trl import DPOConfig, DPOTrainer, ModelConfig, TrlParser, get_peft_config

settings, model = TrlParser((DPOConfig, ModelConfig)).parse_args_and_config()
pairs = load_dataset("json", data_files="pairs.jsonl", split="train")
trainer = DPOTrainer(model="model", args=settings, train_dataset=pairs, peft_config=get_peft_config(model))
trainer.train()
trainer.save_model()
