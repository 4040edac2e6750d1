# The driver of a Ray job: each run is a task, which Ray tries again where its worker is lost. The archives come back in the
# job's log, so that nothing has to be shared but the cluster.
import base64
import ctypes
import glob
import json
import os
import signal
import subprocess
import tempfile

import ray

with open("tasks.json", encoding="utf8") as file:
    launch = json.load(file)


def ends_with_worker():
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


@ray.remote(num_cpus=1, max_retries=launch["retries"])
def train(args):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "run")
        ended = subprocess.run([*launch["program"], "train", *args, "--out", out], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=ends_with_worker)
        archives = glob.glob(os.path.join(out, "*.zip"))
        if ended.returncode == 2:
            return {"error": ended.stderr.decode(errors="replace").strip()[-500:]}
        has_collapsed = ended.returncode == 1 and archives  # It would collapse again in the same way.
        if not has_collapsed and (ended.returncode != 0 or not archives):
            os.kill(os.getpid(), signal.SIGKILL)  # Ray tries a lost worker's task again.
        with open(archives[0], "rb") as archive:
            told = {"error": ended.stderr.decode(errors="replace").strip()[-500:]} if has_collapsed else {}
            return {"archive": archive.read(), **told}


ray.init()
waiting = {train.remote(task["args"]): task["name"] for task in launch["tasks"]}
while waiting:
    [done], _ = ray.wait(list(waiting))
    name = waiting.pop(done)
    try:
        got = ray.get(done)
    except ray.exceptions.RayError as error:
        got = {"error": str(error)[-500:]}
    if "archive" in got:
        text = base64.b64encode(got["archive"]).decode()
        for at in range(0, len(text), 60000):
            print(f"\ncothink-archive {name} {text[at : at + 60000]}", flush=True)
    print("\ncothink-done " + json.dumps({"name": name, "error": got.get("error")}), flush=True)
