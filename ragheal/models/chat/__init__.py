"""Any server that speaks the OpenAI chat protocol, as a model that never raises for what the server does.

client.py     ChatClient: budget, breaker, retries and output modes around one call; open_chat makes it
endpoint.py   where the server is, which model serves which role, the key, and keeping it out of sight
wire.py       one HTTP call through the `openai` library, the only file that imports it
received.py   replies and events as they come, read leniently; hidden reasoning taken out
deadline.py   work that is left behind when its time is up
output.py     how JSON is asked for, and what to leave out when a server objects
budget.py     seconds, tokens and cost of a question and of a day
breaker.py    a server that keeps failing is left alone for a while
ledger.py     models.db: what is remembered of servers, shared by all processes
probe.py      what `ragheal doctor --model` measures
"""

from ragheal.models.chat.client import ChatClient, Usage, open_chat

__all__ = ["ChatClient", "Usage", "open_chat"]
